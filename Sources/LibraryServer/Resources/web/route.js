// The address: the view, the filter, and the open asset. The URL is the state, so that it can be reloaded, bookmarked and
// shared.

/** The filter's parts by their names in the URL. */
const filterKeys = ['text', 'type', 'from', 'until', 'device', 'album', 'keyword', 'rating', 'favorite', 'inside', 'event', 'person'];

/** Parses the address.
 *  @returns {Place} */
export function readPlace(search = location.search) {
    const items = new URLSearchParams(search);
    /** @type {Record<string, string>} */
    const filter = {};
    for (const key of filterKeys) {
        const value = items.get(key);
        if (value && (isUsable[key]?.(value) ?? true)) filter[key] = value;
    }
    return { view: items.get('view') ?? 'photos', id: items.get('id'), asset: items.get('asset'), filter };
}

/** Formats an address.
 *  @param {Partial<Place>} place
 *  @returns {string} */
export function placeURL({ view = 'photos', id = null, asset = null, filter = {} }) {
    const items = new URLSearchParams();
    if (view !== 'photos') items.set('view', view);
    if (id) items.set('id', id);
    for (const key of filterKeys) if (filter[key]) items.set(key, filter[key]);
    if (asset) items.set('asset', asset);
    const text = items.toString();
    return text ? `/?${text}` : '/';
}

/** Goes to a place; `replaces` leaves no step back, and a selection is left with its own (selecting.js). A new entry of the
 *  history gets a number, by which app.js knows what was shown there: a higher one than the entry that it follows, even if
 *  the clock was turned back.
 *  @param {Partial<Place>} place */
export function go(place, { replaces = false } = {}) {
    const { entry, isSelecting, isViewer } = history.state ?? {};
    history[replaces || (isSelecting !== undefined && !isViewer) ? 'replaceState' : 'pushState']({ entry: replaces ? entry : Math.max(Date.now(), 1 + (entry ?? 0)) }, '', placeURL(place));
    dispatchEvent(new Event('place'));
}

/** @type {Record<string, string>} */
export const kinds = {
    images: 'images', live: 'livePhotos', videos: 'videos', bursts: 'bursts', panoramas: 'panoramas',
    timelapses: 'timelapses', slomo: 'slomoVideos', screenshots: 'screenshots',
    screenRecordings: 'screenRecordings', depth: 'depthEffectPhotos', cinematic: 'cinematicVideos',
};

/** The entries of the type menu.
 *  @type {Record<string, string>} */
export const typeNames = {
    images: 'Photos', live: 'Live Photos', videos: 'Videos', bursts: 'Bursts', panoramas: 'Panoramas',
    timelapses: 'Time-lapses', slomo: 'Slow motion', screenshots: 'Screenshots',
    screenRecordings: 'Screen recordings', depth: 'Photos with depth', cinematic: 'Cinematic videos',
};

/** @param {string} text */
const isDay = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') && !Number.isNaN(Date.parse(text));
/** Whether a text is a day with hours and minutes, as in a search by time.
 *  @param {string} text */
const isMinute = (text) => isDay(text?.slice(0, 10)) && /^.{10}T\d{2}:\d{2}$/.test(text);
/** The day after; times without an offset are local to each capture, like the timeline's months.
 *  @param {string} text */
const dayAfter = (text) => new Date(Date.parse(text) + 86_400_000).toISOString().slice(0, 10);

/** An area in the address: its edges in degrees, west, south, east, north.
 *  @param {Box} box */
export const boxText = ({ west, south, east, north }) => [west, south, east, north].join(',');

/** Parses such a text; null for anything else.
 *  @param {string | null | undefined} text */
export function parseBox(text) {
    const edges = (text ?? '').split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
    const [west, south, east, north] = edges;
    const isBox = edges.length === 4 && edges.every(Number.isFinite) && Math.abs(west) <= 180 && Math.abs(east) <= 180 && -90 <= south && south <= north && north <= 90;
    return isBox ? { west, south, east, north } : null;
}

/** @param {string} text */
const isTime = (text) => isDay(text) || isMinute(text);
/** What the parts of a filter look like. A link may be old, cut off or typed: any other value of these is left out.
 *  @type {Record<string, (value: string) => boolean>} */
const isUsable = {
    type: (value) => Object.hasOwn(kinds, value), from: isTime, until: isTime, rating: (value) => /^[1-5]$/.test(value),
    device: (value) => /^[0-9a-z]{28}$/i.test(value.replaceAll('-', '')), album: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
    inside: (value) => parseBox(value) !== null,
};

/** The filter tree of the URL's parts; null if there is no filter.
 *  @param {Record<string, string>} filter @param {Filter[]} more @returns {Filter | null} */
export function filterTree(filter, more = []) {
    const parts = [...more];
    if (kinds[filter.type]) parts.push(kinds[filter.type]);
    if (filter.favorite) parts.push('favorites');
    if (filter.text) parts.push({ text: filter.text });
    if (filter.keyword) parts.push({ keyword: filter.keyword });
    if (filter.device) parts.push({ device: filter.device });
    if (filter.album) parts.push({ album: filter.album });
    if (/^[1-5]$/.test(filter.rating ?? '')) parts.push({ rating: Number(filter.rating) });
    if (parseBox(filter.inside)) parts.push({ inside: /** @type {Box} */ (parseBox(filter.inside)) });
    /** @type {{from?: string, until?: string}} */
    const range = {};
    if (isDay(filter.from)) range.from = filter.from;
    else if (isMinute(filter.from)) range.from = `${filter.from}:00`;
    if (isDay(filter.until)) range.until = dayAfter(filter.until);
    else if (isMinute(filter.until)) range.until = `${filter.until}:00`;
    if (range.from || range.until) parts.push({ captured: range });
    return parts.length === 0 ? null : parts.length === 1 ? parts[0] : { all: parts };
}

/** A filter tree restricted to a time span.
 *  @param {Filter | null} tree @param {string} from @param {string | undefined} until @returns {Filter} */
export function within(tree, from, until) {
    const captured = { captured: { from, until } };
    return tree === null ? captured : { all: [tree, captured] };
}

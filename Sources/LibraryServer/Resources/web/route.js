// Where a person is, as the address bar says it: the view, the filter, and the asset that is open. The URL is the state:
// what is shown can be reloaded, kept as a bookmark and sent to a colleague.

/** The filter's parts, as they are named in the URL. */
const filterKeys = ['text', 'type', 'from', 'until', 'device', 'album', 'keyword', 'rating', 'favorite', 'inside', 'event', 'person'];

/** Reads the address. */
export function readPlace(search = location.search) {
    const items = new URLSearchParams(search);
    const filter = {};
    for (const key of filterKeys) if (items.get(key)) filter[key] = items.get(key);
    return { view: items.get('view') ?? 'photos', id: items.get('id'), asset: items.get('asset'), filter };
}

/** The address of a place. */
export function placeURL({ view = 'photos', id = null, asset = null, filter = {} }) {
    const items = new URLSearchParams();
    if (view !== 'photos') items.set('view', view);
    if (id) items.set('id', id);
    for (const key of filterKeys) if (filter[key]) items.set(key, filter[key]);
    if (asset) items.set('asset', asset);
    const text = items.toString();
    return text ? `/?${text}` : '/';
}

/** Goes to a place; `replaces` leaves no step back. */
export function go(place, { replaces = false } = {}) {
    history[replaces ? 'replaceState' : 'pushState']({ isOurs: true }, '', placeURL(place));
    dispatchEvent(new Event('place'));
}

const kinds = {
    images: 'images', live: 'livePhotos', videos: 'videos', bursts: 'bursts', panoramas: 'panoramas',
    timelapses: 'timelapses', slomo: 'slomoVideos', screenshots: 'screenshots',
};

/** What the type menu offers. */
export const typeNames = {
    images: 'Photos', live: 'Live Photos', videos: 'Videos', bursts: 'Bursts', panoramas: 'Panoramas',
    timelapses: 'Time-lapses', slomo: 'Slow motion', screenshots: 'Screenshots',
};

const isDay = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') && !Number.isNaN(Date.parse(text));
/** A minute of a day, as a search by time has it. */
const isMinute = (text) => isDay(text?.slice(0, 10)) && /^.{10}T\d{2}:\d{2}$/.test(text);
/** The day after; what has no offset is read by the clocks of the places, as the months are cut. */
const dayAfter = (text) => new Date(Date.parse(text) + 86_400_000).toISOString().slice(0, 10);

/** An area as the address has it: its edges in degrees, west, south, east, north. */
export const boxText = ({ west, south, east, north }) => [west, south, east, north].join(',');

/** The area of such a text; null for anything else. */
export function parseBox(text) {
    const edges = (text ?? '').split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
    const [west, south, east, north] = edges;
    const isBox = edges.length === 4 && edges.every(Number.isFinite) && Math.abs(west) <= 180 && Math.abs(east) <= 180 && -90 <= south && south <= north && north <= 90;
    return isBox ? { west, south, east, north } : null;
}

/** The filter tree of the parts in the URL; null when nothing is filtered. */
export function filterTree(filter, more = []) {
    const parts = [...more];
    if (kinds[filter.type]) parts.push(kinds[filter.type]);
    if (filter.favorite) parts.push('favorites');
    if (filter.text) parts.push({ text: filter.text });
    if (filter.keyword) parts.push({ keyword: filter.keyword });
    if (filter.device) parts.push({ device: filter.device });
    if (filter.album) parts.push({ album: filter.album });
    if (/^[1-5]$/.test(filter.rating ?? '')) parts.push({ rating: Number(filter.rating) });
    if (parseBox(filter.inside)) parts.push({ inside: parseBox(filter.inside) });
    const range = {};
    if (isDay(filter.from)) range.from = filter.from;
    else if (isMinute(filter.from)) range.from = `${filter.from}:00`;
    if (isDay(filter.until)) range.until = dayAfter(filter.until);
    else if (isMinute(filter.until)) range.until = `${filter.until}:00`;
    if (range.from || range.until) parts.push({ captured: range });
    return parts.length === 0 ? null : parts.length === 1 ? parts[0] : { all: parts };
}

/** The same tree within a span of time. */
export function within(tree, from, until) {
    const captured = { captured: { from, until } };
    return tree === null ? captured : { all: [tree, captured] };
}

// Formats dates, sizes and counts. Captures are dated in the local time of where they were taken, if the offset is known,
// because that is what people remember.

import { inert } from './dom.js';

const locale = navigator.language;
const formats = {
    month: new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    day: new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }),
    hour: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', hour: 'numeric', timeZone: 'UTC' }),
    date: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }),
    full: new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium', timeZone: 'UTC' }),
    clock: new Intl.DateTimeFormat(locale, { weekday: 'long', hour: 'numeric', minute: '2-digit', second: '2-digit', timeZone: 'UTC' }),
    shortAtPlace: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
    short: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
};
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const number = new Intl.NumberFormat(locale);
const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** @param {number} from */
export const monthTitle = (from) => formats.month.format(from);
/** @param {number} from */
export const dayTitle = (from) => formats.day.format(from);
/** From one hour to the next: one number would read like a moment.
 *  @param {number} from */
export const hourTitle = (from) => formats.hour.formatRange(from, from + 3_600_000);
export const count = (/** @type {number} */ value) => number.format(value);

/** A number with its noun, in the plural unless the number is one. */
export const counted = (/** @type {number} */ value, /** @type {string} */ noun) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** An asset's effective capture date, in milliseconds since 1970. */
export const captureDate = (/** @type {Asset} */ asset) => Date.parse(asset.captureDateOverride ?? asset.captureTime.wall);

/** The same in the local time of the place, or of the library if the place's offset is unknown: months, days and hours
 *  begin by it. */
export const localCaptureDate = (/** @type {Asset} */ asset) => captureDate(asset) + placeOffset(asset);

/** The place's offset from UTC, or the library's if the place's is unknown, in milliseconds. Earlier versions of the server
 *  stored any number; no place is more than 18 hours from UTC. */
export const placeOffset = (/** @type {Asset} */ { captureTime, assumedUTCOffsetSeconds }) =>
    1000 * Math.max(-64_800, Math.min(64_800, captureTime.utcOffsetSeconds ?? assumedUTCOffsetSeconds ?? 0));

/** Converts a local time of the server's format to milliseconds, and back.
 *  @param {string} text */
export const localTime = (text) => Date.parse(`${text}Z`);
/** @param {number} time */
export const localText = (time) => new Date(time).toISOString().slice(0, 19);

export const captureDay = (/** @type {Asset} */ asset) => formats.date.format(localCaptureDate(asset));
export const captureClock = (/** @type {Asset} */ asset) => formats.clock.format(localCaptureDate(asset));
export const captureShort = (/** @type {Asset} */ asset) => formats.shortAtPlace.format(localCaptureDate(asset));
export const captureMoment = (/** @type {Asset} */ asset) => formats.full.format(localCaptureDate(asset));

/** A time from the server, in the reader's time zone.
 *  @param {string | undefined} text */
export const moment = (text) => (text ? formats.short.format(Date.parse(text)) : '');

/** How long ago, or in how long.
 *  @param {string | undefined} text */
export function ago(text, now = Date.now()) {
    if (!text) return 'never';
    const seconds = (Date.parse(text) - now) / 1000;
    /** @type {[number, Intl.RelativeTimeFormatUnit, number][]} */
    const steps = [[60, 'second', 1], [3600, 'minute', 60], [86400, 'hour', 3600], [86400 * 60, 'day', 86400]];
    for (const [limit, unit, size] of steps) {
        if (Math.abs(seconds) < limit) return relative.format(Math.round(seconds / size), unit);
    }
    return formats.date.format(Date.parse(text));
}

/** Bytes in the units of file managers.
 *  @param {number} value */
export function bytes(value) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let step = 0;
    while (value >= 1024 && step < units.length - 1) [value, step] = [value / 1024, step + 1];
    return `${(step === 0 ? number : tenths).format(value)} ${units[step]}`;
}

/** Swift's Duration on the wire: attoseconds as the high and the low half of 128 bits. */
export const seconds = (/** @type {Asset['duration']} */ duration) => (duration ? (duration[0] * 2 ** 64 + duration[1]) / 1e18 : null);

/** Minutes and seconds, as players show them.
 *  @param {number} value */
export function clock(value) {
    const whole = Math.round(value);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** PhotoKit's bits of subtypes that are kinds of their own.
 *  @type {[number, string][]} */
const subtypeNames = [
    [1 << 0, 'Panorama'], [1 << 2, 'Screenshot'], [1 << 17, 'Slow motion'], [1 << 18, 'Time-lapse'], [1 << 19, 'Screen recording'],
    [1 << 21, 'Cinematic video'],
];

/** The kind of an asset, in a word. */
export function kind(/** @type {Asset} */ asset) {
    if (asset.playbackStyle === 3) return 'Live Photo';
    if (asset.captureFacts?.isLivePhotoIncomplete) return 'Live Photo without its movie';
    const subtype = subtypeNames.find(([bit]) => asset.mediaSubtypes & bit);
    if (subtype) return subtype[1];
    if (asset.mediaType === 2) return 'Video';
    if (asset.mediaType === 3) return 'Sound';
    return asset.burst ? 'Burst' : 'Photo';
}

/** The short name of an actor: a device by its display name, which `names` looks up.
 *  @param {string} text
 *  @param {{get: (id: string) => string | undefined}} names */
export function actorName(text, names) {
    const [kind, id] = text.split(' ');
    // A refused caller is an operator, a user of the server or an address.
    return (kind === 'device' && names.get(id)) || text.replace(/^administrator |^caller:(?=uid:|[a-z][^:]*$)/, '')
        .replace(/^uid:(\d+)$/, (_, user) => `${user === '0' ? 'root' : `user ${user}`} on the server`).replace(/^caller:/, 'somebody at ');
}

/** The accessible name of an asset. */
export function assetName(/** @type {Asset} */ asset) {
    const parts = [kind(asset), asset.title || asset.caption || null, captureMoment(asset)];
    if (asset.isFavorite) parts.push('favourite');
    if (asset.rating > 0) parts.push(counted(asset.rating, 'star'));
    return inert(parts.filter(Boolean).join(', '));
}

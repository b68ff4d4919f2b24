// Offsets from UTC, as text.

import { captureDate, placeOffset } from './format.js';

/** @param {number} minutes */
function offsetText(minutes) {
    const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((one) => String(one).padStart(2, '0'));
    return `${minutes < 0 ? '-' : '+'}${hour}:${minute}`;
}

/** A time with its zone's offset in minutes.
 *  @param {number} time @param {number} minutes */
export const zonedText = (time, minutes) => new Date(time + minutes * 60_000).toISOString().slice(0, -1) + offsetText(minutes);

/** The UTC offset of a capture, if it is known and not the reader's own; otherwise empty. */
export function foreignOffset(/** @type {Asset} */ asset) {
    const minutes = Math.round(placeOffset(asset) / 60_000);
    const isReaders = minutes === -new Date(captureDate(asset)).getTimezoneOffset();
    return asset.captureTime.utcOffsetSeconds === undefined || isReaders ? '' : `UTC${offsetText(minutes)}`;
}

// How a picture was taken, according to its file, and a link to the operator's map.

import { get, path } from './api.js';
import { element } from './dom.js';

const number = new Intl.NumberFormat(navigator.language, { maximumFractionDigits: 1 });

/** An exposure time as photographers write it: short ones as a fraction.
 *  @param {number | undefined} seconds */
export function exposure(seconds) {
    if (!seconds) return null;
    return seconds < 0.3 ? `1/${Math.round(1 / seconds)} s` : `${number.format(seconds)} s`;
}

/** The file's camera facts as rows; the make is left out if the model begins with it.
 *  @param {CameraFacts} facts @returns {[string, Child][]} */
export function cameraRows({ make, model, lens, exposureSeconds, fNumber, isoSpeed, exposureCompensation, focalLengthMillimeters, focalLengthIn35mm, isFlashFired, software }) {
    const isNamed = make && model?.toLowerCase().startsWith(make.toLowerCase());
    const length = focalLengthMillimeters && `${number.format(focalLengthMillimeters)} mm`;
    const isOtherOnFilm = focalLengthIn35mm && focalLengthIn35mm !== Math.round(focalLengthMillimeters ?? 0);
    return /** @type {[string, Child][]} */ ([
        ['Camera', [isNamed ? null : make, model].filter(Boolean).join(' ')],
        ['Lens', lens],
        ['Exposure', [exposure(exposureSeconds), fNumber && `f/${number.format(fNumber)}`, isoSpeed && `ISO ${isoSpeed}`].filter(Boolean).join(', ')],
        ['Correction', exposureCompensation && `${exposureCompensation > 0 ? '+' : '−'}${number.format(Math.abs(exposureCompensation))} EV`],
        ['Focal length', [length, isOtherOnFilm && `${focalLengthIn35mm} mm on 35 mm film`].filter(Boolean).join(', ')],
        ['Flash', isFlashFired === undefined ? null : isFlashFired ? 'fired' : 'did not fire'],
        ['Program', software],
    ]).filter(([, value]) => value);
}

/** A list that is filled once the file has been read, and hidden if there is nothing to show.
 *  @param {Asset} asset @param {(rows: [string, Child][]) => Element} definitions */
export function cameraFacts(asset, definitions) {
    const section = element('section', { hidden: true });
    get(path`/v1/assets/${asset.id}/facts`).then((facts) => {
        const rows = cameraRows(facts);
        if (rows.length === 0) return;
        section.append(element('h3', {}, 'Camera'), definitions(rows));
        section.hidden = false;
    }).catch(() => { /* The panel is complete without it. */ });
    return section;
}

/** Coordinates as text, linked to the operator's map if there is one.
 *  @param {Coordinates} place */
export function coordinates({ latitude, longitude }) {
    const text = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
    const pattern = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="map-link"]'))?.content;
    if (!pattern?.includes('{latitude}')) return text;
    const href = pattern.replaceAll('{latitude}', latitude.toFixed(5)).replaceAll('{longitude}', longitude.toFixed(5));
    return element('a', { href, target: '_blank', rel: 'noopener noreferrer', aria: { label: `${text}, on an external map` } }, text);
}

// Where the grid's sections are: heights, measured if their assets are loaded, else estimated; tops, which are the sums of
// the heights above; and the canvas that is moved along a timeline taller than browsers can scroll.

import { aspectRatio, estimatedHeight, justify } from './justified.js';

/** The tallest canvas, in pixels: browsers fail above some 16 million. */
const canvasHeight = 8_000_000;

/** @typedef {{width: number, rowHeight: number, gap: number}} Metrics of rows
 *  @typedef {{section: Section, share?: number, offset?: number}} Anchor what stays in place: a section's distance from
 *      the viewport's top, or a share of its height */

/** The number of layouts made: rows are identified by their layout. */
let layoutCount = 0;

// MARK: Sections

/** @param {number} width of the photos @returns {Metrics} */
export function metricsFor(width) {
    return { width, rowHeight: width < 600 ? 118 : width < 1200 ? 190 : 220, gap: width < 600 ? 2 : 4 };
}

/** Sets a section's height, and lays its photos out if they are loaded. Returns the photos' average aspect ratio, with which
 *  heights are estimated, as corrected by this section.
 *  @param {Section} section @param {Metrics} metrics @param {number} averageRatio */
export function measure(section, metrics, averageRatio) {
    section.headings = (section.monthTitle ? 60 : 0) + (section.title ? 40 : 0);
    if (section.assets) {
        if (!section.layout) {
            const ratios = section.assets.map(aspectRatio);
            section.layout = justify(ratios, metrics);
            section.layoutID = layoutCount += 1;
            if (ratios.length > 8) {
                const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
                averageRatio = averageRatio * 0.8 + mean * 0.2;
            }
        }
        section.height = section.headings + section.layout.height;
    } else if (!section.height) {
        section.height = section.headings + estimatedHeight(section.count, averageRatio, metrics);
    }
    return averageRatio;
}

/** Sets the sections' tops; returns the height of all.
 *  @param {Section[]} sections measured ones */
export function stack(sections) {
    let top = 8;
    for (const section of sections) {
        section.top = top;
        top += section.height;
    }
    return top + 40;
}

/** @param {Section[]} sections @param {number} top @returns {Section | null} */
export function sectionAt(sections, top) {
    let [low, high] = [0, sections.length - 1];
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (sections[middle].top <= top) low = middle;
        else high = middle - 1;
    }
    return sections[low] ?? null;
}

/** @param {Section[]} sections @param {number} from @param {number} until */
export function sectionsBetween(sections, from, until) {
    /** @type {Section[]} */
    const list = [];
    for (let index = Math.max(0, sections.indexOf(sectionAt(sections, from))); index < sections.length; index += 1) {
        if (sections[index].top > until) break;
        list.push(sections[index]);
    }
    return list;
}

/** The day or month to name at the top of the viewport: none while its heading is in view.
 *  @param {Section[]} sections @param {number} top */
export function titleAt(sections, top) {
    const section = sectionAt(sections, top);
    // Make room for a heading about to arrive.
    const next = sections[sections.indexOf(section) + 1];
    const isFree = section && top > section.top + 8 && !(next?.headings && next.top - top < 40);
    return isFree ? section.title ?? section.monthTitle : null;
}

// MARK: What stays in place

/** What stays in place when heights change: the section that has the focus, else what is in view, else what is at the top.
 *  Nothing at the start of the timeline, which stays at the start.
 *  @param {Section[]} sections as they are placed @param {{top: number, height: number}} viewport
 *  @param {Section[]} remaining the sections that are still in the timeline @param {Section | null | undefined} focused @returns {Anchor | null} */
export function anchorIn(sections, { top, height }, remaining, focused) {
    if (top <= 12) return null;
    const seen = sectionsBetween(sections, top, top + height);
    const now = new Set(remaining);
    const kept = seen.includes(focused) ? focused : seen.find((section) => section.layout && now.has(section));
    if (kept) return { section: kept, offset: kept.top - top };
    const section = sectionAt(sections, top);
    return section ? { section, share: (top - section.top) / Math.max(1, section.height) } : null;
}

/** The viewport's top with an anchor in its place: in a section that was split, at the same share of its parts. Null if
 *  none are left.
 *  @param {Section[]} sections @param {Anchor} anchor */
export function anchoredTop(sections, { section, share = 0, offset = NaN }) {
    if (!Number.isNaN(offset)) return section.top - offset;
    const parts = sections.filter((part) => part.start >= section.start && part.start < section.end);
    if (parts.length === 0) return null;
    return parts[0].top + share * parts.reduce((sum, part) => sum + part.height, 0);
}

// MARK: The canvas

/** The canvas's height if it begins at `base`.
 *  @param {number} base @param {number} total the timeline's height */
export function canvasHeightFrom(base, total) { return Math.min(canvasHeight, total - base); }

/** Where the canvas begins if the viewport moves to `top`: at `base`, as before, unless that is too far away.
 *  @param {number} top @param {number} base @param {number} total */
export function baseFor(top, base, total) {
    const wanted = total > canvasHeight ? Math.min(Math.max(0, top - canvasHeight / 2), total - canvasHeight) : 0;
    return Math.abs(wanted - base) > canvasHeight / 4 || top < base || wanted === 0 ? wanted : base;
}

/** Whether the canvas must move because the viewport is near one of its ends, where the timeline continues.
 *  @param {number} scrollTop @param {number} base @param {number} total */
export function isNearEnd(scrollTop, base, total) {
    const nearEnd = scrollTop > canvasHeight * 0.9 && base + canvasHeight < total;
    const nearStart = scrollTop < canvasHeight * 0.1 && base > 0;
    return nearEnd || nearStart;
}

// The timeline's model: spans of time with counts, and the assets of those that are looked at.
//
// It begins as one section a month. A month with more assets than a page is split into its days when it comes near, a day
// into its hours, so that no month ever loads whole. Sections that are far away forget their assets and keep their height.

import { dayTitle, hourTitle, monthTitle } from './format.js';

const units = ['month', 'day', 'hour'];
const titles = { month: monthTitle, day: dayTitle, hour: hourTitle };

/** Assets on a page, and the most that a section holds unless it is an hour. */
export const sectionLimit = 400;
/** Sections that keep their assets though nobody looks at them. */
const keptSections = 48;

export class Timeline extends EventTarget {
    /** `source` has `spans(unit, from, until)` and `page(from, until, cursor, signal)`. */
    constructor(source) {
        super();
        this.source = source;
        this.sections = [];
        this.access = 'full';
        this.token = null;
        this.visits = 0;
    }

    /** How many assets there are. */
    get count() { return this.sections.reduce((sum, section) => sum + section.count, 0); }

    /** Asks for the months; what is loaded of those that did not change stays. */
    async load() {
        const answer = await this.source.spans('month');
        this.access = answer.access;
        this.token = answer.token;
        this.sections = this.merge(answer.spans.map((span) => this.section(span, 'month')), this.sections);
        this.dispatchEvent(new Event('layout'));
    }

    /** Fresh months in the place of the old ones: an old one stays, with its days, while its counts are the same. */
    merge(fresh, old) {
        const kept = new Map();
        for (const section of old) {
            const list = kept.get(section.month) ?? [];
            list.push(section);
            kept.set(section.month, list);
        }
        return fresh.flatMap((section) => {
            const list = kept.get(section.month);
            if (!list) return [section];
            const total = list.reduce((sum, part) => sum + part.count, 0);
            if (total === section.count) return list;
            if (list.length === 1 && list[0].unit === 'month' && section.count <= sectionLimit) {
                Object.assign(list[0], { count: section.count, isStale: true });
                return list;
            }
            return [section];
        });
    }

    section({ from, until, count }, unit, parent = null) {
        const start = Date.parse(from);
        return {
            id: `${unit}:${from}`, month: parent ? parent.month : from, unit, from, until, count, start,
            monthTitle: parent ? null : monthTitle(start),
            title: parent ? titles[unit](start) : null,
            assets: null, status: 'empty', isStale: false, visit: 0, layout: null, height: 0, top: 0,
        };
    }

    /** Loads what a section needs to be shown; does nothing when that is under way. */
    async ensure(section) {
        section.visit = ++this.visits;
        if (section.status === 'loading' || (section.status === 'ready' && !section.isStale)) return;
        const before = section.status;
        section.status = 'loading';
        section.abort = new AbortController();
        try {
            const unit = units.indexOf(section.unit);
            if (section.count > sectionLimit && unit + 1 < units.length) await this.split(section, units[unit + 1]);
            else await this.fill(section);
        } catch (problem) {
            section.status = problem.name === 'AbortError' ? before : 'failed';
            section.problem = problem;
            if (section.status === 'failed') this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
        } finally {
            section.abort = null;
        }
    }

    /** Gives up a load that nobody waits for any more. */
    leave(section) { section.abort?.abort(); }

    async split(section, unit) {
        const answer = await this.source.spans(unit, section.from, section.until, section.abort.signal);
        const parts = answer.spans.map((span) => this.section(span, unit, section));
        const place = this.sections.indexOf(section);
        if (place < 0) return;
        // The first part carries the heading of the month that it begins.
        if (parts.length > 0) parts[0].monthTitle = section.monthTitle;
        if (section.title && parts.length > 0) parts[0].title = parts[0].title ?? section.title;
        this.sections.splice(place, 1, ...parts);
        this.dispatchEvent(new Event('layout'));
    }

    async fill(section) {
        const assets = [];
        let cursor = null;
        do {
            const page = await this.source.page(section.from, section.until, cursor, section.abort.signal);
            assets.push(...page.assets);
            cursor = page.next;
        } while (cursor);
        // The same photos in the same shapes stay the elements that they are, and only what is told of them changes.
        const isSame = isLaidOutAlike(section, assets);
        Object.assign(section, { assets, count: assets.length, status: 'ready', isStale: false });
        this.forgetFarSections();
        if (isSame) for (const asset of assets) this.dispatchEvent(new CustomEvent('replaced', { detail: asset }));
        else this.dispatchEvent(new CustomEvent('filled', { detail: section }));
    }

    forgetFarSections() {
        const held = this.sections.filter((section) => section.assets);
        if (held.length <= keptSections) return;
        held.sort((left, right) => left.visit - right.visit);
        for (const section of held.slice(0, held.length - keptSections)) {
            Object.assign(section, { assets: null, status: 'empty', layout: null });
        }
    }

    /** The place of an asset that is loaded; null when it is not. */
    find(id) {
        for (const section of this.sections) {
            const index = section.assets ? section.assets.findIndex((asset) => asset.id === id) : -1;
            if (index >= 0) return { section, index };
        }
        return null;
    }

    /** The place before or after another, in a section that may still have to be loaded; null at either end. */
    async step(place, by) {
        let { section, index } = place;
        index += by;
        while (index < 0 || index >= (section.assets?.length ?? section.count)) {
            const next = this.sections[this.sections.indexOf(section) + Math.sign(by)];
            if (!next) return null;
            await this.ensure(next);
            // It may have been split meanwhile; the part on our side is where we go on.
            section = this.sections.includes(next)
                ? next
                : this.sections[by > 0 ? this.sections.indexOf(section) + 1 : this.sections.indexOf(section) - 1];
            if (!section) return null;
            await this.ensure(section);
            if (!section.assets) return null;
            index = by > 0 ? 0 : section.assets.length - 1;
            if (section.assets.length > 0) break;
        }
        return { section, index };
    }

    /** Shows an asset as it is now, where it is shown at all. */
    replace(asset) {
        const place = this.find(asset.id);
        if (!place) return false;
        place.section.assets[place.index] = asset;
        this.dispatchEvent(new CustomEvent('replaced', { detail: asset }));
        return true;
    }

    /** Takes assets out at once; the server's counts follow. */
    drop(ids) {
        for (const section of this.sections) {
            if (!section.assets) continue;
            const rest = section.assets.filter((asset) => !ids.has(asset.id));
            if (rest.length === section.assets.length) continue;
            Object.assign(section, { assets: rest, count: rest.length, layout: null });
        }
        this.sections = this.sections.filter((section) => section.count > 0);
        this.dispatchEvent(new Event('layout'));
    }

    /** Looks at a month again the next time that it is near. */
    markStale(time) {
        for (const section of this.sections) {
            if (Date.parse(section.from) <= time && time < Date.parse(section.until)) section.isStale = true;
        }
    }
}

/** Whether a section is laid out already as it would be with other assets. */
export const isLaidOutAlike = (section, assets) => section.layout && section.assets?.length === assets.length
    && assets.every((asset, index) => asset.id === section.assets[index].id && isSameShape(asset, section.assets[index]));

const isSameShape = (one, other) =>
    one.pixelSize?.width === other.pixelSize?.width && one.pixelSize?.height === other.pixelSize?.height;

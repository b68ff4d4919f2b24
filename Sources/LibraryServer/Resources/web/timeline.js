// The timeline's model: time spans with counts, and the assets of those in view.
//
// It starts with one section per month. A month near the viewport is split into days: from its assets if they are few, else
// by counts; a day with more than a page is split into hours. The newest month begins with its last days, uncounted.
// Distant sections drop their assets and keep their height.

import { dayTitle, hourTitle, localCaptureDate, localText, localTime, monthTitle } from './format.js';

const units = ['month', 'day', 'hour'];
/** @type {Record<string, (from: number) => string>} */
const titles = { month: monthTitle, day: dayTitle, hour: hourTitle };

/** Assets on a page, and the most in a day that is one section. */
export const sectionLimit = 400;
/** The most in a month that is fetched whole: on a slow connection the first screen should not wait for the rest. */
const monthLimit = 100;
/** Assets fetched first of a larger newest month: about a screenful. */
const firstAssets = 40;
/** The most assets kept while out of view. */
const keptAssets = 8000;
const dayLength = 86_400_000;
/** @param {string} unit */
const limitOf = (unit) => (unit === 'month' ? monthLimit : sectionLimit);

export class Timeline extends EventTarget {
    /** @param {Source} source */
    constructor(source) {
        super();
        this.source = source;
        /** @type {Section[]} */
        this.sections = [];
        /** @type {Access} */
        this.access = 'full';
        /** @type {string | null} */
        this.token = null;
        this.visits = 0;
        /** The numbers of the last request for the months, and of the one whose answer is shown. */
        this.asked = 0;
        this.told = 0;
    }

    /** The number of assets. */
    get count() {
        const fresh = new Set(this.sections.map((section) => section.outdated).filter(Boolean));
        return [...fresh].reduce((sum, month) => sum + month.count, 0)
            + this.sections.reduce((sum, section) => sum + (section.outdated ? 0 : section.count), 0);
    }

    /** Loads the months; loaded content of unchanged months is kept. */
    async load() {
        const turn = ++this.asked;
        const answer = await this.source.spans('month');
        // The answer to a later request came first.
        if (turn < this.told) return;
        const isFirst = this.told === 0;
        this.told = turn;
        this.access = answer.access;
        this.token = answer.token;
        this.sections = this.merge(answer.spans.map((span) => this.section(span, 'month')), this.sections, isFirst);
        this.dispatchEvent(new Event('layout'));
    }

    /** Replaces old months by fresh ones; a month with the same count is kept with its days. Those of another timeline are
     *  renewed all the same: photos may have moved between its days meanwhile.
     *  @param {Section[]} fresh @param {Section[]} old @param {boolean} isFirst */
    merge(fresh, old, isFirst) {
        /** @type {Map<string, Section[]>} */
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
            if (isFirst || total !== section.count) for (const part of list) Object.assign(part, { isStale: true, outdated: section });
            return list;
        });
    }

    /** A section for a span; a part of a month has its own heading.
     *  @param {Span} span
     *  @param {string} unit
     *  @param {{month: string} | null} parent */
    section({ from, until, count }, unit, parent = null) {
        const start = localTime(from);
        return /** @type {Section} */ ({
            id: `${unit}:${from}`, month: parent ? parent.month : from, unit, from, until, count, start, end: localTime(until),
            monthTitle: parent ? null : monthTitle(start),
            title: parent ? titles[unit](start) : null,
            assets: null, status: 'empty', loading: null, isStale: false, outdated: null, visit: 0, layout: null, height: 0, top: 0,
        });
    }

    /** Loads a section; concurrent callers share one load.
     *  @param {Section} section */
    async ensure(section) {
        section.visit = ++this.visits;
        if (section.status === 'ready' && !section.isStale) return;
        section.loading ??= this.loadSection(section).finally(() => { section.loading = null; });
        await section.loading;
    }

    /** @param {Section} section */
    async loadSection(section) {
        const before = section.status;
        section.status = 'loading';
        section.abort = new AbortController();
        try {
            const unit = units.indexOf(section.unit);
            if (section.outdated) {
                const month = section.outdated;
                month.renewal ??= this.renew(section).finally(() => { month.renewal = null; });
                await month.renewal;
            } else if (section.count > limitOf(section.unit) && unit + 1 < units.length) {
                const isBegun = section === this.sections[0] && section.unit === 'month' && await this.begin(section);
                if (!isBegun) await this.split(section, units[unit + 1]);
            } else if (section.unit === 'month') this.exchange([section], this.days(section, await this.fetchAll(section)));
            else await this.fill(section);
        } catch (problem) {
            section.status = problem.name === 'AbortError' ? before : 'failed';
            section.problem = problem;
            if (section.status === 'failed') this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
        } finally {
            section.abort = null;
        }
    }

    /** Ends the loads of sections; returns copies of these, marked as out of date, for another timeline to begin with: what
     *  is still answered changes only this one. */
    leave() {
        this.markStale();
        for (const section of this.sections) section.abort?.abort();
        return this.sections.map((section) => /** @type {Section} */ ({
            ...section, status: section.assets ? 'ready' : 'empty', loading: null, abort: null, outdated: null, visit: 0,
        }));
    }

    /** @param {Section} section @param {string} unit */
    async split(section, unit) {
        const answer = await this.source.spans(unit, section.from, section.until, section.abort?.signal);
        this.exchange([section], answer.spans.map((span) => this.section(span, unit, section)));
    }

    /** Replaces a month by its last days, as many as a screen shows, and one section for the rest. Returns whether it did:
     *  the last day may be too large.
     *  @param {Section} month */
    async begin(month) {
        const { assets, next } = await this.source.page(month.from, month.until, { limit: firstAssets, signal: month.abort?.signal });
        const parts = this.days(month, assets);
        // The earliest day may be incomplete.
        if (next) parts.pop();
        if (parts.length === 0) return false;
        const count = parts.reduce((left, day) => left - day.count, month.count);
        const rest = { ...this.section({ from: month.from, until: /** @type {Section} */ (parts.at(-1)).from, count }, 'month', month), title: null };
        this.exchange([month], count > 0 ? [...parts, rest] : parts);
        return true;
    }

    /** The days of a month's assets.
     *  @param {Section} month @param {Asset[]} assets */
    days(month, assets) {
        /** @type {Map<number, Section>} */
        const days = new Map();
        for (const asset of assets) {
            const from = Math.floor(localCaptureDate(asset) / dayLength) * dayLength;
            const day = days.get(from) ?? this.section({ from: localText(from), until: localText(from + dayLength), count: 0 }, 'day', month);
            days.set(from, day);
            (day.assets ??= []).push(asset);
            Object.assign(day, { count: day.assets.length, status: 'ready', visit: month.visit });
        }
        return [...days.values()];
    }

    /** Updates a month whose count changed; unchanged days are kept.
     *  @param {Section} section */
    async renew(section) {
        const month = /** @type {Section} */ (section.outdated);
        Object.assign(month, { abort: section.abort, visit: section.visit });
        const parts = month.count > monthLimit
            ? (await this.source.spans('day', month.from, month.until, section.abort?.signal)).spans.map((span) => this.section(span, 'day', month))
            : this.days(month, await this.fetchAll(month));
        const old = this.sections.filter((one) => one.month === month.month);
        /** @type {Asset[]} */
        const same = [];
        this.exchange(old, parts.map((part) => {
            const before = old.find((one) => one.id === part.id);
            if (!before) return part;
            if (!part.assets) {
                return before.count !== part.count ? part
                    : Object.assign(before, { status: before.assets ? 'ready' : 'empty', isStale: true, outdated: null });
            }
            before.outdated = null;
            if (this.take(before, part.assets)) same.push(...part.assets);
            return before;
        }));
        for (const asset of same) this.dispatchEvent(new CustomEvent('replaced', { detail: asset }));
    }

    /** Replaces sections by their parts.
     *  @param {Section[]} sections @param {Section[]} parts */
    exchange(sections, parts) {
        const place = this.sections.indexOf(sections[0]);
        if (place < 0) return;
        const gone = new Set(sections);
        const rest = this.sections.filter((section) => !gone.has(section));
        rest.splice(place, 0, ...parts);
        this.sections = rest;
        this.nameMonths();
        this.forgetFarSections();
        this.dispatchEvent(new Event('layout'));
    }

    /** Gives the first section of each month the month's heading. */
    nameMonths() {
        for (const [index, section] of this.sections.entries()) {
            if (!units.includes(section.unit)) continue;
            const isFirst = this.sections[index - 1]?.month !== section.month;
            section.monthTitle = isFirst ? section.monthTitle ?? monthTitle(localTime(section.month)) : null;
        }
    }

    /** Fetches all assets of a section.
     *  @param {Section} section */
    async fetchAll(section) {
        /** @type {Asset[]} */
        const assets = [];
        /** @type {string | null | undefined} */
        let cursor = null;
        do {
            /** @type {AssetPage} */
            const page = await this.source.page(section.from, section.until, { cursor, signal: section.abort?.signal });
            assets.push(...page.assets);
            cursor = page.next;
        } while (cursor);
        return assets;
    }

    /** @param {Section} section */
    async fill(section) {
        const assets = await this.fetchAll(section);
        const isSame = this.take(section, assets);
        this.forgetFarSections();
        if (isSame) for (const asset of assets) this.dispatchEvent(new CustomEvent('replaced', { detail: asset }));
        else this.dispatchEvent(new CustomEvent('filled', { detail: section }));
    }

    /** Updates a section's assets. If photos and aspect ratios are the same, their elements stay and only their facts
     *  change; returns whether they are.
     *  @param {Section} section @param {Asset[]} assets */
    take(section, assets) {
        const isSame = isLaidOutAlike(section, assets);
        Object.assign(section, { assets, count: assets.length, status: 'ready', isStale: Boolean(section.outdated) });
        if (!isSame) section.layout = null;
        return isSame;
    }

    forgetFarSections() {
        const held = this.sections.filter((section) => section.assets);
        let total = held.reduce((sum, section) => sum + section.count, 0);
        if (total <= keptAssets) return;
        held.sort((left, right) => left.visit - right.visit);
        for (const section of held) {
            if (total <= keptAssets) break;
            total -= section.count;
            Object.assign(section, { assets: null, status: 'empty', layout: null });
        }
    }

    /** All assets of some sections in order, loading what is missing.
     *  @param {Section[]} sections */
    async assetsOf(sections) {
        /** @type {Asset[]} */
        const assets = [];
        for (const section of sections) {
            for (const part of await this.partsOf(section)) assets.push(...part.assets ?? await this.fetchAll(part));
        }
        return assets;
    }

    /** A section, or its parts once it is loaded.
     *  @param {Section} section @returns {Promise<Section[]>} */
    async partsOf(section) {
        if (section.assets) return [section];
        await this.ensure(section);
        if (section.status === 'failed') throw section.problem;
        if (this.sections.includes(section)) return [section];
        return (await Promise.all(this.standIns(section).map((part) => this.partsOf(part)))).flat();
    }

    /** The parts of a section that was split.
     *  @param {Section} section */
    standIns(section) {
        return this.sections.filter((one) => one.start >= section.start && one.start < section.end);
    }

    /** Finds an asset, loading its section if needed; null if it is not in this timeline.
     *  @param {Asset} asset @returns {Promise<Position | null>} */
    async locate(asset) {
        const time = localCaptureDate(asset);
        // From the month, or the rest of a month already begun, to the day, and if needed to the hour.
        for (let step = 0; step <= units.length; step += 1) {
            const place = this.find(asset.id);
            if (place) return place;
            const section = this.sections.find((one) => one.start <= time && time < one.end);
            if (!section) return null;
            await this.ensure(section);
        }
        return this.find(asset.id);
    }

    /** Finds a loaded asset; null if it is not loaded.
     *  @param {string | null | undefined} id @returns {Position | null} */
    find(id) {
        for (const section of this.sections) {
            const index = section.assets ? section.assets.findIndex((asset) => asset.id === id) : -1;
            if (index >= 0) return { section: /** @type {LoadedSection} */ (section), index };
        }
        return null;
    }

    /** The position before or after another, loading its section if needed; null at either end.
     *  @param {Position} place @param {number} by @returns {Promise<Position | null>} */
    async step(place, by) {
        /** @type {{section: LoadedSection | null, index: number}} */
        let { section, index } = place;
        index += by;
        while (index < 0 || index >= (section.assets?.length ?? section.count)) {
            section = await this.sectionBeside(section, by);
            if (!section) return null;
            index = by > 0 ? 0 : section.assets.length - 1;
            if (section.assets.length > 0) break;
        }
        return { section, index };
    }

    /** The section before or after another with its assets, or the part on this side if it is split; null at either end,
     *  and if it cannot be loaded.
     *  @param {Section} section @param {number} by @returns {Promise<LoadedSection | null>} */
    async sectionBeside(section, by) {
        for (;;) {
            const next = this.sections[this.sections.indexOf(section) + Math.sign(by)];
            if (!next) return null;
            await this.ensure(next);
            if (this.sections.includes(next)) return next.assets ? /** @type {LoadedSection} */ (next) : null;
        }
    }

    /** Updates an asset if it is loaded.
     *  @param {Asset} asset */
    replace(asset) {
        const place = this.find(asset.id);
        if (!place) return false;
        place.section.assets[place.index] = asset;
        this.dispatchEvent(new CustomEvent('replaced', { detail: asset }));
        return true;
    }

    /** Removes assets at once; the server's counts follow.
     *  @param {Set<string>} ids */
    drop(ids) {
        for (const section of this.sections) {
            if (!section.assets) continue;
            const rest = section.assets.filter((asset) => !ids.has(asset.id));
            if (rest.length === section.assets.length) continue;
            Object.assign(section, { assets: rest, count: rest.length, layout: null });
        }
        this.sections = this.sections.filter((section) => section.count > 0);
        this.nameMonths();
        this.dispatchEvent(new Event('layout'));
    }

    /** Marks the month of a time to be reloaded the next time it is near the viewport, or all months.
     *  @param {number} [time] */
    markStale(time) {
        for (const section of this.sections) {
            if (time === undefined || section.start <= time && time < section.end) section.isStale = true;
        }
    }
}

/** Whether a section's layout stays the same with other assets.
 *  @param {Section} section @param {Asset[]} assets */
export const isLaidOutAlike = (section, assets) => section.layout && section.assets?.length === assets.length
    && assets.every((asset, index) => asset.id === section.assets?.[index].id && isSameShape(asset, section.assets[index]));

/** @param {Asset} one @param {Asset} other */
const isSameShape = (one, other) =>
    one.pixelSize?.width === other.pixelSize?.width && one.pixelSize?.height === other.pixelSize?.height;

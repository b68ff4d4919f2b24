// The scrubber: a slider over the whole timeline, with a mark for each year.

import { element, setAria } from './dom.js';
import { localTime, monthTitle } from './format.js';

/** How long the thumb stays visible after scrolling by touch, in milliseconds. */
const restTime = 1500;
const coarsePointer = matchMedia('(pointer: coarse)');

export class Scrubber {
    /** @param {import('./grid.js').Grid} grid */
    constructor(grid) {
        this.grid = grid;
        this.bubble = element('output', { class: 'bubble', aria: { hidden: 'true' } });
        this.thumb = element('span', { class: 'thumb' });
        this.marks = element('span', { class: 'years', aria: { hidden: 'true' } });
        /** @type {HTMLDivElement} */
        this.track = element('div', {
            class: 'scrubber', role: 'slider', tabindex: '0',
            aria: { label: 'Date', orientation: 'vertical', valuemin: 0, valuemax: 0, valuenow: 0 },
            on: {
                pointerdown: (event) => this.grab(event),
                keydown: (event) => this.key(event),
                pointermove: (event) => this.hover(event),
                pointerleave: () => this.track.classList.remove('hovered'),
                // After pointerup and after pointercancel.
                lostpointercapture: () => this.release(),
            },
        }, this.marks, this.thumb, this.bubble);
        grid.onScroll = (top, section) => this.follow(top, section);
    }

    get months() {
        const { sections } = this.grid.timeline;
        return sections.filter((section, index) => index === 0 || section.month !== sections[index - 1].month);
    }

    /** Follows the scroll position and the sections.
     *  @param {number} top @param {Section | null} section */
    follow(top, section) {
        const { grid } = this;
        const reach = Math.max(1, grid.total - grid.viewHeight);
        this.track.hidden = grid.total < grid.viewHeight * 1.5;
        this.track.classList.toggle('over', grid.padding === 0 || coarsePointer.matches);
        if (this.top !== undefined && this.top !== top) this.appear();
        /** @type {number | undefined} */
        this.top = top;
        this.thumb.style.top = `${Math.min(1, top / reach) * 100}%`;
        if (!section) return;
        // The last month may be too low to reach the top.
        const { month } = top > reach - 2 ? grid.placed[grid.placed.length - 1] : section;
        if (month !== this.month || grid.placed !== this.placed) {
            /** @type {string | undefined} */
            this.month = month;
            /** @type {Section[] | undefined} */
            this.placed = grid.placed;
            const { months } = this;
            setAria(this.track, 'valuetext', monthTitle(localTime(month)));
            setAria(this.track, 'valuemax', months.length - 1);
            setAria(this.track, 'valuenow', months.findIndex((one) => one.month === month));
        }
        if (this.markedTotal !== grid.total || this.markedHeight !== grid.viewHeight) this.markYears(reach);
    }

    /** On touch screens the thumb shows only while scrolling, so that nothing covers the photos otherwise. */
    appear() {
        this.track.classList.add('moving');
        clearTimeout(this.restTimer);
        this.restTimer = setTimeout(() => this.track.classList.remove('moving'), restTime);
    }

    /** Marks the years that have room; again whenever the photos or the scrubber have another height.
     *  @param {number} reach */
    markYears(reach) {
        const { total, viewHeight: height } = this.grid;
        this.markedTotal = total;
        this.markedHeight = height;
        /** @type {[string | null, number]} */
        let [year, last] = [null, -Infinity];
        /** @type {Element[]} */
        const marks = [];
        for (const section of this.months) {
            const own = section.month.slice(0, 4);
            if (own === year) continue;
            year = own;
            const place = Math.min(1, section.top / reach);
            if ((place - last) * height < 26) continue;
            last = place;
            const mark = element('span', {}, year);
            mark.style.top = `${place * 100}%`;
            marks.push(mark);
        }
        this.marks.replaceChildren(...marks);
    }

    /** @param {MouseEvent} event */
    share(event) {
        const box = this.track.getBoundingClientRect();
        return Math.min(1, Math.max(0, (event.clientY - box.top) / box.height));
    }

    /** @param {PointerEvent} event */
    hover(event) {
        const share = this.share(event);
        const section = this.grid.sectionAt(share * (this.grid.total - this.grid.viewHeight));
        this.track.classList.add('hovered');
        this.bubble.textContent = section ? monthTitle(localTime(section.month)) : '';
        this.bubble.style.top = `${share * 100}%`;
        if (this.isHeld) this.grid.scrollTo(share * (this.grid.total - this.grid.viewHeight));
    }

    /** @param {PointerEvent} event */
    grab(event) {
        // The menu of another button keeps its release.
        if (event.button) return;
        this.isHeld = true;
        event.preventDefault();
        this.track.setPointerCapture(event.pointerId);
        this.track.classList.add('held');
        this.hover(event);
    }

    release() {
        this.isHeld = false;
        this.track.classList.remove('held', 'hovered');
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const { months, grid } = this;
        const now = months.findIndex((month) => month.month === grid.sectionAt(grid.top + 80)?.month);
        /** @type {Record<string, number>} */
        const targets = {
            ArrowDown: now + 1, ArrowRight: now + 1, ArrowUp: now - 1, ArrowLeft: now - 1,
            PageDown: now + 12, PageUp: now - 12, Home: 0, End: months.length - 1,
        };
        if (!(event.key in targets)) return;
        event.preventDefault();
        const target = months[Math.min(months.length - 1, Math.max(0, targets[event.key]))];
        if (target) grid.scrollTo(target.top);
    }
}

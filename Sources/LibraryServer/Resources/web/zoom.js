// Zooms a picture up to its original's pixels: by wheel, pinch, keys or double click; and pans it while zoomed.

/** The scale of a double click, and the least maximum for small pictures. */
const closeUp = 2.5;
/** The change per key press: a factor for the scale, pixels for the position. */
const step = { scale: 1.5, place: 80 };

/** Where a picture begins along one axis, from the edge of its frame: it covers the stage if it is as large, and else is
 *  all on it, as near to the middle of its frame as it can be.
 *  @param {number} wanted @param {number} size of the picture @param {number} frame
 *  @param {number} stage @param {number} before the frame on the stage */
function begin(wanted, size, frame, stage, before) {
    const [least, most] = [-before, stage - size - before].sort((one, other) => one - other);
    return Math.min(most, Math.max(least, size < stage ? (frame - size) / 2 : wanted));
}

export class Zoom {
    /** Listens on the stage; `frame` returns the element that contains the picture.
     *  @param {HTMLElement} stage
     *  @param {() => HTMLElement | undefined} frame */
    constructor(stage, frame) {
        this.stage = stage;
        this.frameNow = frame;
        this.scale = 1;
        this.x = 0;
        this.y = 0;
        /** @type {Map<number, {x: number, y: number}>} */
        this.fingers = new Map();
        stage.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
        stage.addEventListener('dblclick', (event) => this.toggle(event));
        stage.addEventListener('pointerdown', (event) => this.down(event));
        stage.addEventListener('pointermove', (event) => this.move(event));
        // A phone that is turned, or the details beside the picture, change the frame.
        new ResizeObserver(() => this.isClose && this.to(this.scale)).observe(stage);
        for (const type of ['pointerup', 'pointercancel']) stage.addEventListener(type, (event) => this.fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
    }

    get frame() { return this.frameNow(); }
    get isClose() { return this.scale > 1; }

    /** The scale at which a pixel of the picture is a pixel of the screen. */
    get most() {
        const { frame } = this;
        const full = /** @type {HTMLImageElement | null | undefined} */ (frame?.querySelector('img.full'));
        return Math.max(closeUp, frame && full?.naturalWidth ? full.naturalWidth / (frame.clientWidth * devicePixelRatio) : 1);
    }

    /** Resets to the initial scale. */
    reset() {
        Object.assign(this, { scale: 1, x: 0, y: 0 });
        this.fingers.clear();
    }

    /** Changes the scale around a point of the frame, in pixels from its corner.
     *  @param {number} scale */
    to(scale, point = this.centre) {
        if (!this.frame?.querySelector('img')) return;
        const next = Math.min(this.most, Math.max(1, scale));
        this.x = point.x - (point.x - this.x) * (next / this.scale);
        this.y = point.y - (point.y - this.y) * (next / this.scale);
        this.scale = next;
        this.show();
    }

    /** @param {number} x @param {number} y */
    by(x, y) {
        this.x += x;
        this.y += y;
        this.show();
    }

    /** Applies scale and position, keeping the picture on the stage. */
    show() {
        const { frame, stage, scale } = this;
        if (!frame) return;
        const { width, height, left, top } = frame.getBoundingClientRect();
        const box = stage.getBoundingClientRect();
        this.x = begin(this.x, width * scale, width, box.width, left - box.left);
        this.y = begin(this.y, height * scale, height, box.height, top - box.top);
        frame.classList.toggle('zoomed', this.isClose);
        frame.style.setProperty('--zoom', String(this.scale));
        frame.style.setProperty('--pan-x', `${this.x}px`);
        frame.style.setProperty('--pan-y', `${this.y}px`);
    }

    get centre() {
        const { clientWidth, clientHeight } = this.frame ?? this.stage;
        return { x: clientWidth / 2, y: clientHeight / 2 };
    }

    /** @param {{clientX: number, clientY: number}} event */
    point(event) {
        const box = (this.frame ?? this.stage).getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }

    /** @param {WheelEvent} event */
    wheel(event) {
        if (!this.frame?.querySelector('img')) return;
        event.preventDefault();
        // A touchpad pinch arrives as a wheel event with Ctrl, in smaller steps.
        this.to(this.scale * Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), this.point(event));
    }

    /** @param {At<MouseEvent>} event */
    toggle(event) {
        if (event.target.closest('button, video')) return;
        this.to(this.isClose ? 1 : closeUp, this.point(event));
    }

    /** @param {At<PointerEvent>} event */
    down(event) {
        if (event.target.closest('button, video') || !this.frame) return;
        this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        if (this.isClose || this.fingers.size > 1) this.stage.setPointerCapture(event.pointerId);
    }

    /** @param {PointerEvent} event */
    move(event) {
        const before = this.fingers.get(event.pointerId);
        if (!before || (event.pointerType === 'mouse' && event.buttons === 0)) return;
        const now = { x: event.clientX, y: event.clientY };
        if (this.fingers.size === 2) {
            const [other] = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
            /** @param {{x: number, y: number}} one */
            const apart = (one) => Math.hypot(one.x - other.x, one.y - other.y);
            const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
            if (apart(before) > 0) this.to(this.scale * (apart(now) / apart(before)), this.point(middle));
        }
        if (this.isClose) this.by((now.x - before.x) / this.fingers.size, (now.y - before.y) / this.fingers.size);
        this.fingers.set(event.pointerId, now);
    }

    /** Handles a key; returns false if it does nothing.
     *  @param {string} name */
    key(name) {
        /** @type {Record<string, [number, number]>} */
        const moves = { ArrowLeft: [step.place, 0], ArrowRight: [-step.place, 0], ArrowUp: [0, step.place], ArrowDown: [0, -step.place] };
        if (name === '+' || name === '=') this.to(this.scale * step.scale);
        else if (name === '-') this.to(this.scale / step.scale);
        else if (name.toLowerCase() === 'z') this.to(this.isClose ? 1 : this.most);
        else if (this.isClose && name in moves) this.by(...moves[name]);
        else return false;
        return true;
    }
}

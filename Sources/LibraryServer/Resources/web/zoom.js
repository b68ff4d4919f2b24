// Going close to a picture, up to the pixels of its original: by wheel, by two fingers, by keys, by a double click; and
// moving about in it while it is close.

/** How close a double click brings a picture, and every picture comes, also one with fewer pixels. */
const closeUp = 2.5;
/** What one press of a key changes: the scale by this factor, the place by so many pixels. */
const step = { scale: 1.5, place: 80 };

export class Zoom {
    /** Listens on the stage; `frame` gives the element that holds the picture now. */
    constructor(stage, frame) {
        Object.assign(this, { stage, frameNow: frame, scale: 1, x: 0, y: 0 });
        this.fingers = new Map();
        stage.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
        stage.addEventListener('dblclick', (event) => this.toggle(event));
        stage.addEventListener('pointerdown', (event) => this.down(event));
        stage.addEventListener('pointermove', (event) => this.move(event));
        for (const type of ['pointerup', 'pointercancel']) stage.addEventListener(type, (event) => this.fingers.delete(event.pointerId));
    }

    get frame() { return this.frameNow(); }
    get isClose() { return this.scale > 1; }

    /** The scale at which one pixel of the picture is one of the screen. */
    get most() {
        const { frame } = this;
        const full = frame?.querySelector('img.full');
        return Math.max(closeUp, full?.naturalWidth ? full.naturalWidth / (frame.clientWidth * devicePixelRatio) : 1);
    }

    /** As the picture is shown first. */
    reset() {
        Object.assign(this, { scale: 1, x: 0, y: 0 });
        this.fingers.clear();
    }

    /** Another scale, while a point of the frame, in pixels from its corner, stays where it is. */
    to(scale, point = this.centre) {
        if (!this.frame?.querySelector('img')) return;
        const next = Math.min(this.most, Math.max(1, scale));
        this.x = point.x - (point.x - this.x) * (next / this.scale);
        this.y = point.y - (point.y - this.y) * (next / this.scale);
        this.scale = next;
        this.show();
    }

    by(x, y) {
        this.x += x;
        this.y += y;
        this.show();
    }

    /** The picture never leaves its frame. */
    show() {
        const { frame } = this;
        this.x = Math.min(0, Math.max(this.x, frame.clientWidth * (1 - this.scale)));
        this.y = Math.min(0, Math.max(this.y, frame.clientHeight * (1 - this.scale)));
        frame.classList.toggle('zoomed', this.isClose);
        frame.style.setProperty('--zoom', this.scale);
        frame.style.setProperty('--pan-x', `${this.x}px`);
        frame.style.setProperty('--pan-y', `${this.y}px`);
    }

    get centre() { return { x: this.frame.clientWidth / 2, y: this.frame.clientHeight / 2 }; }

    point(event) {
        const box = this.frame.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }

    wheel(event) {
        if (!this.frame?.querySelector('img')) return;
        event.preventDefault();
        // Two fingers on a touchpad come as a wheel with Ctrl, and in smaller steps.
        this.to(this.scale * Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), this.point(event));
    }

    toggle(event) {
        if (event.target.closest('button, video')) return;
        this.to(this.isClose ? 1 : closeUp, this.point(event));
    }

    down(event) {
        if (event.target.closest('button, video') || !this.frame) return;
        this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        if (this.isClose || this.fingers.size > 1) this.stage.setPointerCapture(event.pointerId);
    }

    move(event) {
        const before = this.fingers.get(event.pointerId);
        if (!before || (event.pointerType === 'mouse' && event.buttons === 0)) return;
        const now = { x: event.clientX, y: event.clientY };
        if (this.fingers.size === 2) {
            const [other] = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
            const apart = (one) => Math.hypot(one.x - other.x, one.y - other.y);
            const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
            if (apart(before) > 0) this.to(this.scale * (apart(now) / apart(before)), this.point(middle));
        }
        if (this.isClose) this.by((now.x - before.x) / this.fingers.size, (now.y - before.y) / this.fingers.size);
        this.fingers.set(event.pointerId, now);
    }

    /** What a key does to a picture; false where it does nothing. */
    key(name) {
        const moves = { ArrowLeft: [step.place, 0], ArrowRight: [-step.place, 0], ArrowUp: [0, step.place], ArrowDown: [0, -step.place] };
        if (name === '+' || name === '=') this.to(this.scale * step.scale);
        else if (name === '-') this.to(this.scale / step.scale);
        else if (name === 'z') this.to(this.isClose ? 1 : this.most);
        else if (this.isClose && name in moves) this.by(...moves[name]);
        else return false;
        return true;
    }
}

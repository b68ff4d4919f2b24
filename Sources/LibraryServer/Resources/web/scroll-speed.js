// How fast the grid scrolls, measured from frame to frame. While it flies past, nothing is loaded.

/** From this speed on, in viewports a second, photos fly past. */
const passingSpeed = 12;
/** How long the grid stands still at the end of a flight, in milliseconds. */
const restTime = 90;

export class ScrollSpeed {
    /** @param {() => unknown} onRest runs when a flight has ended */
    constructor(onRest) {
        this.onRest = onRest;
        /** The last position and its time, how far it was from the one before, and how fast: in viewports, and viewports a second. */
        this.at = 0;
        this.time = 0;
        this.step = 0;
        this.value = 0;
    }

    /** Whether what is in view now is gone before it could be loaded. */
    get isPassing() { return this.value > passingSpeed; }

    /** @param {number} top @param {number} time @param {number} viewHeight */
    measure(top, time, viewHeight) {
        // A frame between two movements does not end a flight; the timer does.
        if (top === this.at && this.isPassing) return;
        this.step = Math.abs(top - this.at) / viewHeight;
        this.value = this.step * 1000 / Math.max(1, time - this.time);
        this.at = top;
        this.time = time;
        this.stop();
        if (!this.isPassing) return;
        this.timer = setTimeout(() => {
            this.value = 0;
            this.onRest();
        }, restTime);
    }

    /** Stops waiting for the end of a flight. */
    stop() { clearTimeout(this.timer); }
}

// Plays photos as a time-lapse with adjustable speed. A picture is shown only once it is complete, so that a slow connection, or
// none, slows playback down instead of leaving gaps.

import { isBack, onceBack } from './api.js';
import { button, element, fill, icon, setAria } from './dom.js';
import { captureMoment, count } from './format.js';
import { keepNotices } from './notices.js';
import { isSound, isVideo, thumbnail } from './media.js';

/** The speeds on offer in pictures a second, and the number of pictures loaded ahead. */
const speeds = [1, 2, 4, 8, 15, 30];
const ahead = 12;

/** Plays photos from first to last.
 *  @param {Asset[]} assets */
export function playTimeLapse(assets, { title = 'Time-lapse' } = {}) {
    const stills = assets.filter((one) => !isVideo(one) && !isSound(one));
    if (stills.length === 0) throw new Error('A time-lapse needs photos, and the selection has none.');
    const player = new TimeLapse(stills, title);
    player.open();
    return player;
}

/** A picture, whether it can be shown once that is known, and whether it waits for the server until then.
 *  @typedef {{image: HTMLImageElement, isReady: Promise<boolean>, isAway: boolean}} Picture */

class TimeLapse {
    /** @param {Asset[]} assets @param {string} title */
    constructor(assets, title) {
        this.assets = assets;
        this.index = 0;
        this.isPlaying = false;
        this.speed = Number(sessionStorage.getItem('lapse-speed')) || 8;
        /** Pictures by index.
         *  @type {Map<number, Picture>} */
        this.pictures = new Map();
        this.canvas = element('div', { class: 'stage', role: 'img' });
        this.text = element('span', { class: 'quiet' });
        // One button for play and pause, so that it keeps the focus.
        this.toggle = button('Play', { symbol: 'play', onClick: () => (this.isPlaying ? this.pause() : this.play()) });
        this.range = element('input', { type: 'range', min: 0, max: Math.max(0, assets.length - 1), step: 1, value: '0', aria: { label: 'Photo' } });
        const speed = element('select', { aria: { label: 'Pictures a second' } }, speeds.map((one) => element('option', { value: one, selected: one === this.speed }, `${one} a second`)));
        /** @type {HTMLDialogElement} */
        this.dialog = element('dialog', { class: 'viewer lapse', aria: { label: title } },
            element('header', {}, button('Close', { symbol: 'back', onClick: () => this.dialog.close() }), element('h2', {}, element('strong', {}, title), this.text)),
            this.canvas, element('div', { class: 'controls' }, this.toggle, this.range, speed));
        this.range.addEventListener('input', () => {
            this.pause();
            this.goTo(Number(this.range.value));
        });
        speed.addEventListener('change', () => {
            this.speed = Number(speed.value);
            sessionStorage.setItem('lapse-speed', speed.value);
        });
        this.dialog.addEventListener('keydown', (event) => this.key(event));
        this.dialog.addEventListener('close', () => this.closed());
    }

    open() {
        document.body.append(this.dialog);
        this.dialog.showModal();
        this.showToggle();
        this.goTo(0);
        this.play();
        this.toggle.focus();
    }

    closed() {
        this.pause();
        this.isClosed = true;
        keepNotices(this.dialog);
        this.dialog.remove();
    }

    showToggle() {
        const name = this.isPlaying ? 'Pause' : 'Play';
        setAria(this.toggle, 'label', name);
        this.toggle.title = name;
        fill(this.toggle, icon(name.toLowerCase()));
    }

    /** The picture at an index; loads the next ones as well, and drops the ones passed.
     *  @param {number} index */
    picture(index) {
        for (let place = index; place <= index + ahead && place < this.assets.length; place += 1) {
            if (this.pictures.has(place)) continue;
            const image = Object.assign(new Image(), { alt: '' });
            /** @type {Picture} */
            const picture = { image, isReady: Promise.resolve(false), isAway: false };
            picture.isReady = this.load(picture, place);
            this.pictures.set(place, picture);
        }
        for (const place of this.pictures.keys()) if (place < index - 2 || place > index + 2 * ahead) this.pictures.delete(place);
        return /** @type {Picture} */ (this.pictures.get(index));
    }

    /** Loads a picture; without the server, once that is back. Returns whether it can be shown.
     *  @param {Picture} picture @param {number} place */
    async load(picture, place) {
        // The server may have come back only after the first attempt.
        for (let failures = 0; failures < 2 && !this.isClosed;) {
            picture.image.src = thumbnail(this.assets[place], 'large');
            if (await picture.image.decode().then(() => true, () => false)) return true;
            if (await isBack()) {
                failures += 1;
                continue;
            }
            picture.isAway = true;
            if (place === this.index) this.tell('Waiting for the server');
            await new Promise((goOn) => onceBack(() => goOn(null)));
            picture.isAway = false;
        }
        return false;
    }

    /** Says in place of a picture why it is not shown.
     *  @param {string} why */
    tell(why) { fill(this.canvas, element('p', { class: 'damage' }, icon('warning'), why)); }

    /** Shows the picture at an index once it has loaded; returns whether it is still the wanted one.
     *  @param {number} index */
    async goTo(index) {
        this.index = Math.max(0, Math.min(index, this.assets.length - 1));
        const asset = this.assets[this.index];
        if (!asset) return false;
        const wanted = this.index;
        const { image, isReady, isAway } = this.picture(wanted);
        if (isAway) this.tell('Waiting for the server');
        const isWhole = await isReady;
        if (this.isClosed || wanted !== this.index) return false;
        if (isWhole) fill(this.canvas, image);
        else this.tell('This picture cannot be shown.');
        this.canvas.dataset.id = asset.id;
        this.canvas.setAttribute('aria-label', captureMoment(asset));
        this.range.value = String(wanted);
        this.range.setAttribute('aria-valuetext', captureMoment(asset));
        fill(this.text, `${captureMoment(asset)} · ${count(wanted + 1)} of ${count(this.assets.length)}`);
        return true;
    }

    async play() {
        if (this.isPlaying) return;
        this.isPlaying = true;
        this.showToggle();
        if (this.index >= this.assets.length - 1) await this.goTo(0);
        const turn = this.turn = Symbol('turn');
        while (this.isPlaying && turn === this.turn && !this.isClosed && this.index < this.assets.length - 1) {
            await new Promise((done) => { setTimeout(done, 1000 / this.speed); });
            if (this.isPlaying && turn === this.turn) await this.goTo(this.index + 1);
        }
        if (turn === this.turn) this.pause();
    }

    pause() {
        if (!this.isPlaying) return;
        this.isPlaying = false;
        this.turn = null;
        if (!this.isClosed) this.showToggle();
    }

    /** @param {At<KeyboardEvent>} event */
    key(event) {
        if (event.target.closest('select') || event.ctrlKey || event.metaKey || event.altKey) return;
        /** @type {Record<string, () => unknown>} */
        const keys = {
            ' ': () => (this.isPlaying ? this.pause() : this.play()), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
            Home: () => this.step(-Infinity), End: () => this.step(Infinity),
        };
        // Space presses another button that has the focus.
        if (!(event.key in keys) || (event.key === ' ' && event.target !== this.toggle && event.target.closest('button'))) return;
        event.preventDefault();
        keys[event.key]();
    }

    /** @param {number} by */
    step(by) {
        this.pause();
        this.goTo(this.index + by);
    }
}

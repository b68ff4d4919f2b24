// The viewer: one asset over the whole window, first its thumbnail, then the full picture; a Live Photo plays while pressed;
// arrows, swipes and the mouse move to the next one.

import { later, onceBack, send } from './api.js';
import { button, element, fill, icon, setAria } from './dom.js';
import { BurstFrames, Filmstrip } from './filmstrip.js';
import { assetName, captureClock, captureDate, captureDay, captureMoment, localCaptureDate } from './format.js';
import { bytesOf, fullPicture, isLive, isSound, isVideo, movie, sound, still, thumbnail } from './media.js';
import { keepNotices } from './notices.js';
import { drawThumbhash } from './thumbhash.js';
import { zonedText } from './utc-offset.js';
import { Zoom } from './zoom.js';

/** Loads the details panel when the first photo is opened: most people open the panel later or never. */
const loadDetails = () => later(import('./asset-details.js'), 'The server cannot be reached, so the details cannot be shown.');

/** How long a slide is shown, in milliseconds; a video plays to its end. */
const slideTime = 4000;
/** The minimum distance of a swipe, and the height of a video's controls on a phone, in pixels. */
const swipe = 60;
const controlsHeight = 80;

/** When an asset was captured, by the clock of the place. */
const momentOf = (/** @type {Asset} */ asset) =>
    zonedText(captureDate(asset), Math.round((localCaptureDate(asset) - captureDate(asset)) / 60_000));

export class Viewer {
    /** @param {ViewerContext} context */
    constructor(context) {
        this.context = context;
        /** Set by `show`, before anything else.
         *  @type {Asset} */
        this.asset;
        this.stage = element('div', { class: 'stage', tabindex: '-1' });
        this.title = element('h2', {});
        this.tools = element('div', { class: 'tools' });
        // One button, so that it keeps the focus.
        this.slides = button('Slideshow', { symbol: 'play', onClick: () => (this.isSliding ? this.pauseOrResume() : this.toggleSlides()) });
        this.panel = element('aside', { class: 'panel', hidden: true, aria: { label: 'About this photo' } });
        /** @param {Asset} asset */
        const onChoose = (asset) => {
            this.endSlides();
            this.show(asset);
        };
        this.film = new Filmstrip({ step: context.step, onChoose });
        this.frames = new BurstFrames({ onChoose, guard: (work) => this.act(work) });
        this.dialog = element('dialog', { class: 'viewer', aria: { label: 'Photo' } },
            element('header', {}, button('Close', { symbol: 'back', onClick: () => this.close() }), this.title, this.tools),
            element('div', { class: 'body' }, element('div', { class: 'middle' }, this.stage, this.frames.root), this.panel), this.film.root,
            button('Previous', { symbol: 'back', onClick: () => this.move(-1), class: 'step before icon-button' }),
            button('Next', { symbol: 'forward', onClick: () => this.move(1), class: 'step after icon-button' }));
        this.dialog.addEventListener('keydown', (event) => this.key(event));
        this.dialog.addEventListener('cancel', () => this.leaveField());
        this.dialog.addEventListener('close', () => this.closed());
        /** The element on the stage that contains the picture. */
        this.frame = element('div', { class: 'frame' });
        this.zoom = new Zoom(this.stage, () => this.frame);
        this.listenForSwipes();
        this.showsPanel = matchMedia('(min-width: 1000px)').matches && sessionStorage.getItem('panel') === 'open';
    }

    /** @param {Asset} asset */
    open(asset) {
        document.body.append(this.dialog);
        this.dialog.showModal();
        loadDetails().catch(() => {});
        this.show(asset);
        // Not on Close, which Space would press.
        this.stage.focus();
    }

    close() {
        this.leaveField();
        this.dialog.close();
    }

    /** Saves what is being typed, as when the field is left: a field that goes with its dialog has no change. */
    leaveField() {
        const field = document.activeElement;
        if (field && this.panel.contains(field)) field.blur();
    }

    closed() {
        this.endSlides();
        this.leaveStage();
        keepNotices(this.dialog);
        this.dialog.remove();
        this.context.onClose(this.asset?.id);
    }

    /** Shows an asset, leaving the previous one at once.
     *  @param {Asset} asset */
    show(asset) {
        const isSame = this.asset?.id === asset.id;
        this.asset = asset;
        this.dialog.setAttribute('aria-label', assetName(asset));
        fill(this.title, element('strong', {}, asset.title || captureDay(asset)), element('span', { class: 'quiet' },
            [asset.title ? captureMoment(asset) : captureClock(asset), this.context.deviceName?.(asset.deviceID)].filter(Boolean).join(' · ')));
        this.showTools();
        if (!isSame) {
            this.leaveStage();
            this.showStage();
            this.context.onShow(asset);
            this.frames.show(asset);
            this.act(() => this.film.show(asset));
            if (this.isPlaying) this.waitForNext();
            // What had the focus may have gone with the photo before.
            if (this.dialog.open && !this.dialog.contains(document.activeElement)) this.stage.focus({ preventScroll: true });
        }
        this.showPanel(isSame);
        if (!isSame) this.preload();
    }

    showTools() {
        const { asset, context } = this;
        const { edits } = context;
        const tools = context.isTrash
            ? [button('Restore', { symbol: 'restore', onClick: () => this.act(() => edits.restore([asset])) })]
            : [
                isLive(asset) && button('Play Live Photo', { symbol: 'live', onClick: () => this.playLive() }),
                isLive(asset) && button(this.isLoud ? 'Sound off' : 'Sound on', { symbol: this.isLoud ? 'sound' : 'mute', onClick: () => this.toggleSound() }),
                edits && button(asset.isFavorite ? 'Remove from favourites' : 'Add to favourites', {
                    symbol: 'heart', aria: { pressed: asset.isFavorite, label: 'Favourite' }, class: asset.isFavorite ? 'icon-button on' : 'icon-button',
                    onClick: () => this.act(() => edits.favorite([asset])),
                }),
                context.onMoment && button('The same moment, all cameras', { symbol: 'clock', onClick: () => context.onMoment(momentOf(asset)) }),
                edits && button('Add to album', { symbol: 'albums', onClick: () => this.act(() => context.onAlbum([asset])) }),
                edits && button('Move to trash', { symbol: 'trash', onClick: () => this.act(() => edits.trash([asset])) }),
            ];
        const name = this.isPlaying ? 'Pause the slideshow' : this.isSliding ? 'Resume the slideshow' : 'Slideshow';
        setAria(this.slides, 'label', name);
        this.slides.title = name;
        fill(this.slides, icon(this.isPlaying ? 'pause' : 'play'));
        fill(this.tools, tools, this.slides, button('Details', {
            symbol: 'info', aria: { label: 'Details', expanded: this.showsPanel }, onClick: () => this.togglePanel(),
        }));
    }

    /** @param {() => unknown} work */
    act(work) { this.context.guard(work); }

    // MARK: The picture

    showStage() {
        const { asset, stage } = this;
        const hash = element('canvas', { class: 'hash', width: 1, height: 1 });
        if (asset.thumbHash) drawThumbhash(asset.thumbHash, hash);
        const frame = element('div', { class: 'frame' });
        if (asset.pixelSize) {
            frame.style.setProperty('--ratio', `${asset.pixelSize.width} / ${asset.pixelSize.height}`);
            frame.style.setProperty('--ratio-number', String(asset.pixelSize.width / asset.pixelSize.height));
        }
        frame.append(hash);
        fill(stage, frame);
        this.frame = frame;
        this.zoom.reset();
        if (isVideo(asset)) return this.showVideo();
        if (isSound(asset)) return this.showSound();
        // The one that the grid has loaded.
        frame.append(picture(thumbnail(asset), ''));
        const full = picture(fullPicture(asset), assetName(asset));
        full.classList.add('full');
        full.addEventListener('load', () => full.classList.add('loaded'));
        full.addEventListener('error', () => this.frame === frame && this.showDamage(frame));
        frame.append(full);
        if (isLive(asset)) this.prepareLive(frame);
    }

    showVideo() {
        const { asset, frame } = this;
        const resource = movie(asset);
        if (!resource) return this.showDamage(frame);
        const player = element('video', {
            src: bytesOf(asset, resource), controls: true, playsinline: true, preload: 'metadata', poster: thumbnail(asset, 'large'),
            aria: { label: assetName(asset) },
        });
        player.addEventListener('error', () => this.frame === frame && this.showDamage(frame));
        frame.append(player);
        if (!matchMedia('(prefers-reduced-motion: reduce)').matches) player.play().catch(() => {});
    }

    showSound() {
        const { asset, frame } = this;
        const resource = sound(asset);
        if (!resource) return this.showDamage(frame);
        const player = element('audio', { src: bytesOf(asset, resource), controls: true, preload: 'metadata', aria: { label: assetName(asset) } });
        player.addEventListener('error', () => this.frame === frame && this.showDamage(frame));
        frame.append(element('div', { class: 'sound' }, icon('sound'), player));
    }

    playOrPause() {
        const player = /** @type {HTMLMediaElement | null} */ (this.stage.querySelector('audio, video'));
        if (player?.paused) player.play().catch(() => {});
        else player?.pause();
    }

    /** @param {Element} frame */
    async showDamage(frame, asset = this.asset) {
        const text = element('span', {},
            isSound(asset) ? 'This sound cannot be played.' : isVideo(asset) ? 'This video cannot be played.' : 'This picture cannot be shown.');
        frame.append(element('p', { class: 'damage', role: 'alert' }, icon('warning'), text));
        const played = isVideo(asset) ? movie(asset) : sound(asset);
        try {
            await send(played ? bytesOf(asset, played) : fullPicture(asset), { headers: { Range: 'bytes=0-0' } });
            text.append(' It is damaged, or in a format that this browser does not support. ',
                element('a', { href: bytesOf(asset, played ?? still(asset) ?? asset.resources[0]), download: '' }, 'Save the original'),
                ' to open it elsewhere.');
        } catch (problem) {
            text.append(` ${problem.message}`);
            if (problem.isOffline) onceBack(() => this.frame === frame && this.dialog.open && this.showStage());
        }
    }

    leaveStage() {
        clearTimeout(this.holdTimer);
        for (const player of /** @type {NodeListOf<HTMLMediaElement>} */ (this.stage.querySelectorAll('video, audio'))) {
            player.pause();
            player.removeAttribute('src');
            player.load();
        }
        for (const image of this.stage.querySelectorAll('img')) if (!image.complete) image.src = '';
        this.stage.replaceChildren();
    }

    /** Preloads the neighbours' pictures. */
    async preload() {
        for (const by of [1, -1]) {
            const next = await this.context.step(this.asset.id, by);
            if (next && !isVideo(next) && !isSound(next)) new Image().src = fullPicture(next);
        }
    }

    // MARK: Live Photos

    /** @param {HTMLElement} frame */
    prepareLive(frame) {
        frame.append(element('button', {
            type: 'button', class: 'live-badge', aria: { label: 'Play Live Photo' }, on: { click: () => this.playLive() },
        }, icon('live'), 'LIVE'));
        // Press and hold, as on a phone.
        frame.addEventListener('pointerdown', (event) => {
            clearTimeout(this.holdTimer);
            // A second finger zooms.
            if (!event.isPrimary || event.target.closest('button') || event.button !== 0) return;
            this.holdTimer = setTimeout(() => this.playLive(), 250);
        });
        frame.addEventListener('pointermove', () => this.zoom.isClose && clearTimeout(this.holdTimer));
        for (const type of ['pointerup', 'pointercancel', 'pointerleave']) frame.addEventListener(type, () => clearTimeout(this.holdTimer));
    }

    playLive() {
        const { asset, frame } = this;
        const resource = isLive(asset) && movie(asset);
        if (!resource || frame.querySelector('video')) return;
        const player = element('video', { src: bytesOf(asset, resource), playsinline: true, class: 'live-movie' });
        player.muted = !this.isLoud;
        const end = () => {
            frame.classList.remove('playing');
            setTimeout(() => player.remove(), 250);
        };
        player.addEventListener('playing', () => frame.classList.add('playing'));
        player.addEventListener('ended', end);
        player.addEventListener('error', end);
        frame.append(player);
        player.play().catch(end);
    }

    toggleSound() {
        this.isLoud = !this.isLoud;
        const player = this.frame.querySelector('video');
        if (player) player.muted = !this.isLoud;
        else if (this.isLoud) this.playLive();
        this.showTools();
    }

    // MARK: Details

    togglePanel() {
        const hadFocus = this.panel.contains(document.activeElement);
        this.showsPanel = !this.showsPanel;
        sessionStorage.setItem('panel', this.showsPanel ? 'open' : 'closed');
        this.showTools();
        this.showPanel();
        if (hadFocus) /** @type {HTMLElement | null} */ (this.tools.querySelector('[aria-label=Details]'))?.focus();
    }

    /** Whether the user is typing in the panel; if so, the panel is refreshed only when the field loses the focus. */
    waitsForWriting() {
        const typed = /** @type {HTMLInputElement | null} */ (this.panel.contains(document.activeElement) ? document.activeElement : null);
        if (!typed?.matches('input, textarea') || typed.value === typed.defaultValue) return false;
        typed.addEventListener('blur', () => this.dialog.open && this.showPanel(), { once: true });
        return true;
    }

    showPanel(isSame = false) {
        this.panel.hidden = !this.showsPanel;
        if (!this.showsPanel) return this.panel.replaceChildren();
        const { asset } = this;
        this.act(async () => {
            const { detailsPanel } = await loadDetails();
            if (this.asset !== asset || !this.showsPanel || (isSame && this.waitsForWriting())) return;
            fill(this.panel, button('Hide details', { symbol: 'close', onClick: () => this.togglePanel() }),
                detailsPanel(asset, { ...this.context, guard: (work) => this.act(work) }));
        });
    }

    // MARK: Slideshow

    /** Starts or ends the slideshow; it ends at the last photo or with any other action. */
    toggleSlides() {
        if (this.isSliding) return this.endSlides();
        this.isSliding = true;
        this.dialog.classList.add('sliding');
        this.pauseOrResume();
    }

    /** Pauses the slideshow, with the video that it shows, or goes on with it. */
    pauseOrResume() {
        this.isPlaying = !this.isPlaying;
        this.showTools();
        if (this.isPlaying) return this.waitForNext();
        clearTimeout(this.slideTimer);
        if (isVideo(this.asset)) this.stage.querySelector('video')?.pause();
    }

    endSlides() {
        if (!this.isSliding) return;
        this.isSliding = this.isPlaying = false;
        clearTimeout(this.slideTimer);
        this.dialog.classList.remove('sliding');
        if (this.dialog.open) this.showTools();
    }

    /** Goes on at a video's end, or `slideTime` after a picture has come. What cannot be shown, or may not play by itself,
     *  is left for as long. */
    waitForNext() {
        const turn = this.slideTurn = {};
        const isDue = () => this.isPlaying && this.dialog.open && turn === this.slideTurn;
        const go = () => this.act(async () => {
            const next = isDue() && await this.context.step(this.asset.id, 1);
            if (!isDue()) return;
            if (next) this.show(next);
            else this.endSlides();
        });
        const linger = () => {
            if (!isDue()) return;
            clearTimeout(this.slideTimer);
            this.slideTimer = setTimeout(go, slideTime);
        };
        clearTimeout(this.slideTimer);
        const player = isVideo(this.asset) ? this.stage.querySelector('video') : null;
        const full = /** @type {HTMLImageElement | null} */ (this.stage.querySelector('.full'));
        if (player && !player.error) {
            player.addEventListener('ended', go, { once: true });
            player.addEventListener('error', linger, { once: true });
            // Also under reduced motion: a slideshow was asked for.
            player.play().catch(linger);
        } else if (full && !full.complete) {
            for (const type of ['load', 'error']) full.addEventListener(type, linger, { once: true });
        } else linger();
    }

    // MARK: Going on

    /** @param {number} by */
    async move(by) {
        this.endSlides();
        const next = await this.context.step(this.asset.id, by);
        if (next && this.dialog.open) this.show(next);
    }

    /** @param {At<KeyboardEvent>} event */
    key(event) {
        if (event.target.closest('input, textarea, select, audio, [contenteditable]') || event.ctrlKey || event.metaKey || event.altKey) return;
        const { edits } = this.context;
        if (this.zoom.key(event.key)) return event.preventDefault();
        /** @type {Record<string, () => unknown>} */
        const keys = {
            ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1), i: () => this.togglePanel(),
            ' ': () => (this.isSliding ? this.pauseOrResume() : isLive(this.asset) ? this.playLive() : this.playOrPause()), l: () => this.playLive(), m: () => this.toggleSound(),
            s: () => this.toggleSlides(), c: () => this.context.onMoment?.(momentOf(this.asset)),
            f: () => edits && this.act(() => edits.favorite([this.asset])),
            Delete: () => edits && !this.context.isTrash && this.act(() => edits.trash([this.asset])),
        };
        for (const stars of [0, 1, 2, 3, 4, 5]) keys[stars] = () => edits && this.act(() => edits.rate([this.asset], stars));
        // A focused video toggles playback itself, even if the key's default is prevented.
        if (!(event.key in keys) || (event.key === ' ' && event.target.closest('button, video'))) return;
        event.preventDefault();
        // Held down, Delete would go through the photos.
        if (!event.repeat || event.key.startsWith('Arrow')) keys[event.key]();
    }

    listenForSwipes() {
        /** @type {{x: number, y: number} | null} */ let start = null;
        this.stage.addEventListener('pointerdown', (event) => {
            // A second finger cancels the swipe; a player's controls have swipes of their own.
            const player = event.target instanceof Element ? event.target.closest('audio, video[controls]') : null;
            const isOnControls = player && (player.matches('audio') || event.clientY > player.getBoundingClientRect().bottom - controlsHeight);
            if (event.pointerType !== 'mouse') start = event.isPrimary && !isOnControls ? { x: event.clientX, y: event.clientY } : null;
        });
        this.stage.addEventListener('pointerup', (event) => {
            if (!start || this.zoom.isClose) return;
            const [x, y] = [event.clientX - start.x, event.clientY - start.y];
            start = null;
            if (Math.abs(x) > swipe && Math.abs(x) > Math.abs(y) * 1.5) this.move(x < 0 ? 1 : -1);
            else if (y > swipe * 1.5 && y > Math.abs(x) * 1.5) this.close();
        });
    }
}

/** @param {string} source @param {string} alt */
function picture(source, alt) {
    const image = new Image();
    Object.assign(image, { alt, decoding: 'async', draggable: false, src: source });
    return image;
}

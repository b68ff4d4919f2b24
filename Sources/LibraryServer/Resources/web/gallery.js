// The gallery: a timeline with its filter bar, the actions on the selection, and the viewer over it. Favourites, an album,
// the trash and a device's photos are the same view with another filter.

import { gathered, get, later, loadStyle, once, onceBack, path } from './api.js';
import { button, element, fill, write } from './dom.js';
import { filterBar } from './filters.js';
import { counted, localCaptureDate } from './format.js';
import { emptyState } from './empty.js';
import { Grid } from './grid.js';
import { notify, notifyProblem } from './notices.js';
import { filterTree, go, placeURL, typeNames } from './route.js';
import { Scrubber } from './scrubber.js';
import { Selection } from './selection.js';
import { librarySource } from './source.js';
import { Timeline } from './timeline.js';

export class Gallery {
    /** `fixed` are the view's own filters; `place` is the parsed address.
     *  @param {Place} place
     *  @param {{title: string, lists: Lists, fixed?: Filter[], isTrash?: boolean, album?: Album | null, timeline?: Timeline,
     *      deviceName?: (id?: string) => string | undefined, onToken?: (token: string | null) => void, kept?: Kept}} options */
    constructor(place, { title, lists, fixed = [], isTrash = false, album = null, timeline, deviceName, onToken, kept }) {
        this.place = place;
        this.title = title;
        this.lists = lists;
        this.isTrash = isTrash;
        this.album = album;
        this.deviceName = deviceName;
        this.onToken = onToken;
        /** The tools beside the heading, set by views that have some.
         *  @type {(() => Children) | undefined} */
        this.headingTools = undefined;
        /** Beside them, on a camera's page and that of a span of time.
         *  @type {Element | null | undefined} */
        this.days = undefined;
        /** @type {import('./album-reorder.js').AlbumReorder | undefined} */
        this.arranging = undefined;
        this.tree = filterTree(place.filter, fixed);
        this.timeline = timeline ?? new Timeline(librarySource(this.tree, { isTrash }));
        this.timeline.sections = kept?.sections ?? [];
        this.recount = gathered(() => this.isClosed || this.load());
        /** @type {Selection<Asset>} */
        this.selection = new Selection();
        /** Set by `loadActs`.
         *  @type {import('./edits.js').Edits} */
        this.edits;
        this.grid = new Grid(this.timeline, {
            selection: this.selection, label: title, cameraOf: (asset) => deviceName?.(asset.deviceID), onOpen: (asset) => this.guard(() => this.open(asset)),
        });
        this.grid.kept = kept?.anchor;
        // An album in its own order has no dates to scrub through.
        this.scrubber = timeline ? null : new Scrubber(this.grid);
        this.name = element('h1');
        this.size = element('span', { class: 'quiet', role: 'status' });
        this.titleLine = element('div', { class: 'title-line' });
        this.limitation = element('p', { class: 'banner' }, 'You see a selection of this library. An administrator can add more.');
        this.heading = element('div', { class: 'view-heading' });
        this.bar = element('div', { class: 'selection-bar', role: 'toolbar', aria: { label: 'Selected photos' }, hidden: true });
        this.body = element('div', { class: 'wall' }, this.grid.scroller, this.grid.dayLine, this.scrubber?.track ?? '');
        this.root = element('section', { class: 'gallery', aria: { label: title } }, this.heading, this.bar, this.body);
        // Load the viewer after the first thumbnail: it delays neither that nor the first photo opened.
        this.body.addEventListener('load', () => this.loadViewer().catch(() => {}), { capture: true, once: true });
        this.selection.addEventListener('change', () => this.showSelection());
        this.selection.addEventListener('change', () => this.serveSelection(), { once: true });
        // The page was loaded again during a selection.
        if (history.state?.isSelecting) this.serveSelection();
        this.timeline.addEventListener('problem', (event) => notifyProblem(/** @type {CustomEvent<Failure>} */ (event).detail));
        this.timeline.addEventListener('layout', () => this.showHeading());
    }

    /** Loads the toolbar's keys and the history step of a selection. A view that only selects has neither: its buttons are tab stops, and Back cancels. */
    serveSelection = once(async () => {
        if (!this.grid.selectsOnly) await import('./selecting.js').then(({ serveSelection }) => serveSelection(this)).catch(() => {});
    });

    /** Loads what can be done with photos: nothing is done before one is selected or opened. */
    loadActs = once(async () => {
        const [acts, { Edits }] = await Promise.all([later(import('./acts.js')), later(import('./edits.js'))]);
        this.edits = new Edits({
            onChanged: (asset) => this.changed(asset), onGone: (ids) => this.gone(ids), onBack: () => this.reload(),
        });
        return acts;
    });

    /** Loads the viewer: not needed for the first photos, but soon after. */
    loadViewer = once(async () => {
        const [{ openPhoto }] = await Promise.all([later(import('./open-photo.js')), loadStyle('viewer.css'), this.loadActs()]);
        return openPhoto;
    });

    /** Shows the view; `close` ends it. */
    async start() {
        this.showHeading();
        await this.load();
        if (this.place.asset) this.openNamed(this.place.asset);
    }

    async load() {
        try {
            await this.timeline.load();
            this.onToken?.(this.timeline.token);
            this.showEmptiness();
            this.guard(() => this.countDays());
        } catch (problem) {
            this.showRefusal(problem);
        }
    }

    /** Ends the view; returns what shows it again as it was. */
    close() {
        this.recount.cancel();
        this.isClosed = true;
        if (this.viewer?.dialog.open) this.viewer.close();
        this.grid.close();
        const [anchor, shown] = [this.grid.anchor(), this.timeline.sections];
        const sections = this.timeline.leave();
        return { anchor: anchor && { ...anchor, section: sections[shown.indexOf(anchor.section)] ?? anchor.section }, sections };
    }

    // MARK: What is shown around the grid

    showHeading() {
        const { count, sections, access } = this.timeline;
        const { device, text, type } = this.place.filter;
        const isLibrary = this.place.view === 'photos';
        // A camera's photos have a page of their own, titled with its name.
        const name = (isLibrary && ((device && this.deviceName?.(device)) || typeNames[type])) || this.title;
        write(this.name, text ? `${name}: “${text}”` : name);
        write(this.size, sections.length ? counted(count, type === 'videos' ? 'video' : 'photo') : '');
        fill(this.titleLine, this.name, this.size, this.days, this.tools());
        fill(this.heading, this.titleLine, access === 'limited' && this.limitation, this.filterBar());
    }

    /** The photos of a camera or of a span of time: on how many days they were taken, and as a time-lapse. */
    async countDays() {
        const { device, from, until } = this.place.filter;
        if (!(device || from || until) || this.place.view !== 'photos') return;
        const { countDays } = await later(import('./day-count.js'));
        await countDays(this);
    }

    /** The tools for the album with its current title and order. */
    tools() {
        if (this.toolsOf !== this.album) {
            /** @type {Album | null | undefined} */
            this.toolsOf = this.album;
            this.madeTools = this.headingTools?.();
        }
        return this.madeTools;
    }

    filterBar() {
        const key = JSON.stringify([this.place.filter, this.lists]);
        if (this.barKey !== key) {
            /** @type {string | undefined} */
            this.barKey = key;
            this.madeBar = filterBar(this.place.filter, {
                lists: this.lists, fixed: this.album ? ['album'] : [],
                findKinds: () => get(`/v1/timeline?kinds=true&trash=${this.isTrash}`),
                onChange: (filter) => go({ ...this.place, filter, asset: null }),
            });
        }
        return this.madeBar;
    }

    /** @param {Lists} lists */
    setLists(lists) {
        this.lists = lists;
        this.showHeading();
        this.grid.describeAgain();
        // Its camera's name was unknown until now.
        if (this.viewer?.dialog.open) this.viewer.show(this.viewer.asset);
    }

    showEmptiness() {
        this.empty?.remove();
        const isEmpty = this.timeline.sections.length === 0;
        const isFiltered = Object.keys(this.place.filter).length > 0;
        this.body.classList.toggle('is-empty', isEmpty);
        this.heading.classList.toggle('without-filters', isEmpty && !isFiltered);
        if (!isEmpty) return;
        this.empty = isFiltered
            ? this.nothingFound()
            : this.isTrash ? emptyState('trash', 'The trash is empty', 'Photos in the trash can be restored until they are deleted permanently.')
            : this.album ? emptyState('albums', 'This album is empty', 'Select photos in the library and add them here.')
            : this.place.view === 'favorites' ? emptyState('heart', 'No favourites yet', 'Photos marked with the heart appear here.')
            : this.timeline.access === 'limited' ? emptyState('photos', 'Nothing selected for you yet', 'An administrator decides what you see here.')
            : emptyState('camera', 'No photos yet', 'They appear here as soon as a camera sends them.',
                element('p', {}, 'To admit a camera: ', element('code', {}, 'tintypectl enrollment-token create')));
        this.body.append(this.empty);
    }

    /** The empty state of a search or filter without results. */
    nothingFound() {
        const { text, ...filters } = this.place.filter;
        const isFilter = Object.keys(filters).length > 0;
        const [why, clear] = !text ? ['No photo matches the filters.', 'Clear the filters']
            : !isFilter ? [`No photo’s text contains “${text}”.`, 'Clear the search']
            : [`No photo that matches the filters contains “${text}” in its text.`, 'Clear search and filters'];
        return emptyState(isFilter ? 'filter' : 'search', 'Nothing matches', why, button(clear, {
            isQuiet: false, onClick: () => go({ ...this.place, filter: {} }),
        }));
    }

    /** @param {Failure} problem */
    showRefusal(problem) {
        if (problem.name === 'AbortError' || problem.isLoggedOut) return;
        if (problem.isOffline) onceBack(() => this.isClosed || this.load());
        // Photos that are shown stay in view: they are only out of date.
        if (this.timeline.sections.length > 0) {
            if (!problem.isOffline) notifyProblem(problem);
            return;
        }
        this.empty?.remove();
        this.empty = emptyState('warning', problem.isOffline ? 'Not available at the moment' : 'The request was refused', problem.message,
            button('Try again', { isQuiet: false, onClick: () => {
                this.empty?.remove();
                this.load();
            } }));
        this.body.append(this.empty);
    }

    // MARK: Acts

    /** @param {() => unknown} work */
    guard(work) {
        return Promise.resolve().then(work).catch(notifyProblem);
    }

    /** @param {Asset} asset */
    changed(asset) {
        this.timeline.replace(asset);
        if (this.viewer?.asset?.id === asset.id) this.viewer.show(asset);
        if (this.selection.has(asset.id)) this.selection.assets.set(asset.id, asset);
    }

    /** @param {Set<string>} ids */
    async gone(ids) {
        const shown = this.viewer?.asset?.id;
        const isShown = () => this.viewer?.dialog.open && this.viewer.asset.id === shown && ids.has(shown);
        /** @param {number} by */
        const step = (by) => this.viewer?.context.step(shown, by);
        const next = isShown() ? (await step(1)) ?? (await step(-1)) : null;
        this.selection.remove(ids);
        this.viewer?.film.drop(ids);
        this.grid.drop(ids);
        if (isShown()) {
            if (next) this.viewer?.show(next);
            else this.viewer?.close();
        }
        this.showEmptiness();
    }

    async reload() {
        this.timeline.markStale();
        await this.load();
    }

    showSelection() {
        const chosen = [...this.selection.assets.values()];
        this.bar.hidden = chosen.length === 0;
        this.root.classList.toggle('choosing', chosen.length > 0);
        if (chosen.length === 0) return;
        /** @type {MakeAct} */
        const act = (label, symbol, work, ends = true) => button(label, { symbol, showsLabel: true, onClick: () => this.guard(async () => {
            const chosen = [...this.selection.assets.values()];
            const isDone = await work(chosen, await this.loadActs());
            // What was selected meanwhile stays.
            if (ends && isDone !== false) this.selection.remove(chosen.map(({ id }) => id));
        }) });
        fill(this.bar,
            button('Clear selection', { symbol: 'close', onClick: () => this.selection.clear() }),
            element('strong', { role: 'status' }, `${counted(chosen.length, 'photo')} selected`),
            this.chosenActs(act, chosen));
    }

    /** @param {MakeAct} act @param {Asset[]} chosen */
    chosenActs(act, chosen) {
        if (this.isTrash) {
            return [act('Restore', 'restore', (chosen, acts) => acts.restore(this, chosen)),
                act('Delete permanently', 'trash', (chosen, acts) => acts.purge(this, chosen), false)];
        }
        return [
            act('Favourite', 'heart', (chosen) => this.edits.favorite(chosen), false),
            act('Album', 'albums', (chosen, acts) => acts.addToAlbum(this, chosen)),
            this.albumActs(act, chosen),
            act('Keyword', 'tag', (chosen, acts) => acts.addKeyword(this, chosen)),
            act('Change', 'edit', (chosen, acts) => acts.changeAll(this, chosen), false),
            chosen.length > 1 && act('Time-lapse', 'play', (chosen, acts) => acts.playAll(this, chosen), false),
            act('Save', 'download', (chosen, acts) => acts.saveAll(chosen), false),
            act('Trash', 'trash', (chosen, acts) => acts.trash(this, chosen)),
        ];
    }

    /** What can be done in an album; overridden there.
     *  @param {MakeAct} act @param {Asset[]} chosen
     *  @returns {Child | readonly (Child | readonly Child[])[]} */
    albumActs(act, chosen) { return null; }

    // MARK: The viewer

    /** @param {Asset} asset */
    async open(asset) {
        const openPhoto = await this.loadViewer();
        if (this.isClosed) return;
        // Pressed again while the viewer loaded, it is open by now.
        if (this.viewer?.dialog.open) this.viewer.show(asset);
        else this.viewer = openPhoto(this, asset);
    }

    /** Follows a step of the history that only changes the open photo; returns false for any other.
     *  @param {Place} place */
    follows(place) {
        if (placeURL({ ...place, asset: null }) !== placeURL({ ...this.place, asset: null })) return false;
        const isOpen = this.viewer?.dialog.open;
        if (!place.asset) {
            this.place.asset = null;
            if (isOpen) this.viewer?.close();
        } else if (!isOpen || this.viewer?.asset.id !== place.asset) {
            this.place.asset = place.asset;
            this.openNamed(place.asset);
        }
        return true;
    }

    /** Opens the asset named by the address, wherever it is in the timeline.
     *  @param {string} id */
    async openNamed(id) {
        await this.guard(async () => {
            const coming = get(path`/v1/assets/${id}`).catch((problem) => { if (![400, 404].includes(problem.status)) throw problem; });
            const [asset] = await Promise.all([coming, this.loadViewer()]);
            // Another step of the history, or another view, came first.
            if (this.isClosed || this.place.asset !== id) return;
            if (!asset) {
                this.place.asset = null;
                history.replaceState(history.state, '', placeURL(this.place));
                return notify('This photo does not exist any more.');
            }
            await this.open(asset);
            await this.timeline.locate(asset);
        });
    }

    // MARK: Live updates

    /** Handles a change of the library by anyone.
     *  @param {EntityChange} change */
    follow(change) {
        const { kind, entity: { asset: id }, asset } = change;
        if (!id) return;
        this.edits?.saw(id);
        if (this.timeline.find(id) && this.leaves(change)) {
            const isOpen = this.viewer?.dialog.open && this.viewer.asset.id === id;
            if (isOpen && !this.edits.takenOut.has(id)) notify('Somebody took the open photo out of this list.');
            this.gone(new Set([id]));
        } else if (asset && this.viewer?.asset?.id === id) this.viewer.show(asset);
        if (asset && kind === 'updated' && this.stays(asset)) this.changed(asset);
        else this.gather(asset, id);
    }

    /** Whether a change takes a photo out of this list, whatever the filter.
     *  @param {EntityChange} change */
    leaves({ kind, entity, asset }) {
        if (entity.album) return kind === 'removed' && entity.album === this.album?.id;
        return kind === 'removed' || Boolean(asset?.trashedAt) !== this.isTrash;
    }

    /** Whether an updated asset certainly keeps its place; only the server evaluates filters.
     *  @param {Asset} asset */
    stays(asset) {
        const isPlain = Object.keys(this.place.filter).length === 0 && (this.place.view !== 'favorites' || asset.isFavorite);
        return Boolean(this.timeline.find(asset.id)) && isPlain && !asset.isHidden && Boolean(asset.trashedAt) === this.isTrash;
    }

    /** @param {Asset | undefined} asset @param {string} id */
    gather(asset, id) {
        const known = asset ?? this.grid.asset(id);
        if (known) this.timeline.markStale(localCaptureDate(known));
        this.recount.request();
    }
}

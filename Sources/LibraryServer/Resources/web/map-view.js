// The library on a map: photos with a location, in clusters; a click on a cluster shows its photos.

import { get, onceBack, query } from './api.js';
import { button, element, fill, write } from './dom.js';
import { emptyState } from './empty.js';
import { filterBar } from './filters.js';
import { count, counted } from './format.js';
import { WorldMap } from './map.js';
import { thumbnail } from './media.js';
import { notifyProblem } from './notices.js';
import { boxText, filterTree, go, parseBox, placeURL } from './route.js';

/** The minimum distance of clusters in pixels, so that they do not overlap. */
const cellSize = 64;
/** The most columns of a map (PlaceQuery). */
const mostColumns = 32;

export class MapView {
    /** @param {Place} place @param {{lists: Lists}} options */
    constructor(place, { lists }) {
        this.place = place;
        this.lists = lists;
        this.tree = filterTree(place.filter);
        this.size = element('span', { class: 'quiet', role: 'status' });
        this.heading = element('div', { class: 'view-heading' }, element('div', { class: 'title-line' }, element('h1', {}, 'Map'), this.size));
        this.bar = element('div');
        this.heading.append(this.bar);
        this.map = new WorldMap({ label: 'Map. The arrows move it, plus and minus zoom, 0 shows the world.', onMove: (box) => this.moved(box) });
        this.zoom = element('div', { class: 'map-tools' },
            button('Zoom in', { symbol: 'plus', onClick: () => this.map.zoom(2) }), button('Zoom out', { symbol: 'minus', onClick: () => this.map.zoom(0.5) }),
            button('Show all photos on the map', { symbol: 'photos', onClick: () => this.fit() }));
        this.note = element('p', { class: 'map-note quiet' }, 'Map: Natural Earth, without streets');
        this.body = element('div', { class: 'wall' }, this.map.root, this.zoom, this.note);
        this.root = element('section', { class: 'gallery', aria: { label: 'Map' } }, this.heading, this.body);
    }

    async start() {
        this.setLists(this.lists);
        await this.map.start();
        await this.load();
    }

    /** Shows the area in the address, or the one with all photos. */
    async load() {
        try {
            const box = parseBox(this.place.id);
            if (box) this.map.show(box);
            else await this.fit();
        } catch (problem) {
            if (problem.isOffline) onceBack(() => this.isClosed || this.load());
            this.say(emptyState('warning', problem.isOffline ? 'Not available at the moment' : 'The request was refused', problem.message));
        }
    }

    /** Shows the area that contains all photos. */
    async fit() {
        const { clusters } = await this.fetch({ west: -180, south: -90, east: 180, north: 90 });
        if (clusters.length === 0) return this.showClusters(clusters);
        /** @param {keyof Box} pick @param {(...all: number[]) => number} of */
        const edge = (pick, of) => of(...clusters.map(({ box }) => box[pick]));
        const box = { west: edge('west', Math.min), south: edge('south', Math.min), east: edge('east', Math.max), north: edge('north', Math.max) };
        const room = Math.max(0.5, (box.east - box.west) * 0.1, (box.north - box.south) * 0.1);
        this.map.show({
            west: Math.max(-180, box.west - room), south: Math.max(-90, box.south - room),
            east: Math.min(180, box.east + room), north: Math.min(90, box.north + room),
        });
    }

    close() {
        this.isClosed = true;
        this.map.close();
    }

    /** @param {Lists} lists */
    setLists(lists) {
        this.lists = lists;
        fill(this.bar, filterBar(this.place.filter, { lists, onChange: (filter) => go({ ...this.place, filter }) }));
    }

    /** Refreshes the clusters after changes. */
    follow() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.isClosed || this.refill(), 1200);
    }

    /** Follows a step of the history that only changes the area.
     *  @param {Place} place */
    follows(place) {
        const box = parseBox(place.id);
        if (!box || placeURL({ ...place, id: null }) !== placeURL({ ...this.place, id: null })) return false;
        this.place = place;
        this.map.show(box);
        return true;
    }

    /** @param {Box} box */
    moved(box) {
        if (this.isClosed) return;
        this.place = { ...this.place, id: boxText(box) };
        history.replaceState(history.state, '', placeURL(this.place));
        this.refill();
    }

    /** @param {Box} box @returns {Promise<{clusters: Cluster[]}>} */
    fetch(box) {
        const [width, height] = [box.east - box.west, box.north - box.south];
        // The server divides the longer side in degrees; cells have to be wide enough from west to east.
        const cellDegrees = width * cellSize / this.map.size.width;
        const columns = Math.min(mostColumns, Math.max(1, Math.floor(Math.max(width, height) / cellDegrees)));
        return get(`/v1/places${query({ ...box, columns, filter: this.tree && JSON.stringify(this.tree) })}`);
    }

    async refill() {
        const turn = this.turn = {};
        try {
            const { clusters } = await this.fetch(this.map.box);
            if (turn === this.turn && !this.isClosed) this.showClusters(clusters);
        } catch (problem) {
            if (turn === this.turn && !this.isClosed) notifyProblem(problem);
        }
    }

    /** @param {Cluster[]} clusters */
    showClusters(clusters) {
        const total = clusters.reduce((sum, one) => sum + one.count, 0);
        write(this.size, `${counted(total, 'photo')} in this area`);
        this.say(total > 0 ? null : emptyState('map', 'No photo here', this.tree === null
            ? 'Photos with a location appear on the map.' : 'No photo in this area matches the filter.'));
        this.map.mark(clusters.map((cluster) => ({ node: this.mark(cluster), place: cluster.center })));
    }

    /** @param {Cluster} cluster */
    mark({ center, box, count: number, assetID }) {
        const where = `${center.latitude.toFixed(2)}, ${center.longitude.toFixed(2)}`;
        return element('button', {
            type: 'button', class: 'cluster', data: { key: assetID }, title: `${counted(number, 'photo')} at ${where}`,
            aria: { label: `${counted(number, 'photo')} at ${where}` },
            on: { click: () => go({ filter: { ...this.place.filter, inside: boxText(box) } }) },
        }, element('img', { src: thumbnail({ id: assetID }, 'tiny'), alt: '', draggable: 'false', on: { error: (event) => event.target.remove() } }), element('span', {}, count(number)));
    }

    /** @param {Element | null} what */
    say(what) {
        this.empty?.remove();
        this.empty = what;
        if (what) this.body.append(what);
    }
}

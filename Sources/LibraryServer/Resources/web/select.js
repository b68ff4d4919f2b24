// Edits a device's limited selection in the gallery: the device sees the selected photos, and its own captures.

import { get, path, post, put } from './api.js';
import { button, element, fill } from './dom.js';
import { counted } from './format.js';
import { Gallery } from './gallery.js';
import { notify, notifyProblem } from './notices.js';
import { go } from './route.js';

export class SelectionEditor extends Gallery {
    /** @param {Place} place @param {Lists} lists
     *  @param {Kept} [kept] */
    constructor(place, lists, kept) {
        super(place, { title: 'Selection', lists, kept });
        /** Set by `start`, as is the selection before.
         *  @type {Device} */
        this.device;
        /** @type {DeviceSelection} */
        this.before;
        this.grid.selectsOnly = true;
        this.bar.classList.add('standing');
    }

    async start() {
        const id = encodeURIComponent(this.place.id ?? '');
        /** @type {[Device, DeviceSelection, AccessRequests]} */
        const [device, selection, waiting] = await Promise.all([
            get(`/v1/admin/devices/${id}`), get(`/v1/admin/selections/${id}`), get('/v1/admin/requests'),
        ]);
        this.device = device;
        this.before = selection;
        this.expansion = (waiting.expansions ?? []).find((one) => one.deviceID === device.id);
        this.title = `What “${device.name}” sees`;
        // Selected assets are known only by their identifiers, which is enough.
        this.selection.add(/** @type {Asset[]} */ (selection.assets.map((asset) => ({ id: asset }))));
        await super.start();
        this.showSelection();
    }

    showSelection() {
        if (!this.before) return;
        const { size } = this.selection;
        this.bar.hidden = false;
        const parts = [counted(size, 'photo')];
        if (this.before.rules.length) parts.push(counted(this.before.rules.length, 'rule'));
        if (this.before.grantedAlbums.length) parts.push(counted(this.before.grantedAlbums.length, 'album'));
        fill(this.bar,
            element('strong', { role: 'status' }, `${parts.join(', ')} for “${this.device.name}”, and its own captures`),
            this.expansion && element('q', {}, this.expansion.reason),
            button('Cancel', { onClick: () => history.back() }),
            button('Save selection', { isQuiet: false, onClick: () => this.save() }));
    }

    /** A photo that goes to the trash meanwhile stays selected: it may come back.
     *  @param {EntityChange} _change */
    leaves(_change) { return false; }

    async save() {
        const assets = [...this.selection.ids];
        const id = this.device.id;
        try {
            const before = this.before;
            if (this.expansion) {
                const known = new Set(before.assets);
                await post(path`/v1/admin/requests/expansions/${id}`, { assets: assets.filter((one) => !known.has(one)) });
            }
            const saved = await put(path`/v1/admin/selections/${id}`, { ...before, assets });
            notify(`“${this.device.name}” sees ${counted(saved.assets.length, 'photo')} and its own captures.`, {
                undo: () => put(path`/v1/admin/selections/${id}`, before),
            });
            go({ view: 'devices', id });
        } catch (problem) {
            notifyProblem(problem);
        }
    }
}

// The devices: a list with their states, and a page for one device with its rights, activity and administration.

import { allDevices, get, patch, path, post } from './api.js';
import { AdminPage, accessText, definitions, fingerprint, isMeant, mark, stateMark, table } from './admin.js';
import { admitDevices, askDeviceEdit } from './admit.js';
import { auditTable } from './audit.js';
import { consentSection } from './consents.js';
import { confirm } from './dialogs.js';
import { button, element, fill, write } from './dom.js';
import { ago, bytes, count, moment } from './format.js';
import { emptyState } from './empty.js';
import { askAnswer, decide } from './inbox.js';
import { notify, notifyProblem } from './notices.js';
import { go, placeURL } from './route.js';

export class DeviceList extends AdminPage {
    constructor() {
        super('Devices');
        this.tools.append(button('Admit a camera', { symbol: 'plus', showsLabel: true, onClick: () => admitDevices().then(() => this.load()) }));
    }

    async fetch() {
        const devices = await allDevices();
        return () => {
            this.showDevices(devices);
            return [...this.body.childNodes];
        };
    }

    /** Shows the devices as they are now; rows that look as before stay.
     *  @param {Device[]} devices */
    showDevices(devices) {
        const fresh = this.list(devices);
        const [rows, now] = [fresh, this.body].map((one) => one.querySelector('tbody'));
        if (rows && now) {
            /** @param {Element} row */
            const device = (row) => row.querySelector('a')?.href;
            const kept = new Map([...now.rows].map((row) => [device(row), row]));
            const focused = now.contains(document.activeElement) && device(/** @type {Element} */ (document.activeElement).closest('tr') ?? now);
            fill(now, [...rows.rows].map((row) => {
                const before = kept.get(device(row));
                return before?.isEqualNode(row) ? before : row;
            }));
            // Devices may have the same name.
            if (focused) [...now.querySelectorAll('a')].find((one) => one.href === focused)?.focus({ preventScroll: true });
        } else if (!this.body.firstElementChild?.isEqualNode(fresh)) fill(this.body, fresh);
    }

    /** @param {Device[]} devices */
    list(devices) {
        if (devices.length === 0) {
            return element('div', { class: 'empty still' }, emptyState('camera', 'No devices yet', 'Admit one with a single-use token, here or by a command:',
                element('p', {}, element('code', {}, 'tintypectl enrollment-token create --max addOnly'))));
        }
        const sorted = [...devices].sort((one, other) => urgency(one) - urgency(other) || Date.parse(other.lastSeen ?? other.firstSeen) - Date.parse(one.lastSeen ?? one.firstSeen));
        return table('Devices', ['Device', 'State', 'Access', 'Last contact', 'Queue'], sorted.map((device) => [
            element('div', {}, element('a', { href: placeURL({ view: 'devices', id: device.id }), on: { click: (event) => {
                event.preventDefault();
                go({ view: 'devices', id: device.id });
            } } }, device.name), device.lookAlikes.length > 0 && element('small', {}, ' Key ', fingerprint(device.keyFingerprint))),
            stateMark(device), accessText(device.authorization), silence(device), queueText(device.status),
        ]));
    }
}

/** Devices that need attention come first, revoked ones last.
 *  @param {Device} device */
const urgency = ({ state }) => ({ suspect: 0, pending: 1, revoked: 3 })[state] ?? 2;

/** A device's last contact, with a mark if that is long ago.
 *  @param {Device} device */
function silence({ state, lastSeen }) {
    const days = lastSeen ? (Date.now() - Date.parse(lastSeen)) / 86_400_000 : null;
    if (days === null || state === 'revoked' || days < 1) return ago(lastSeen);
    return element('span', {}, `${ago(lastSeen)} `, mark(days < 7 ? 'quiet' : 'silent', days < 7 ? 'waiting' : 'bad'));
}

/** What a device reports of its queue; empty if it has not reported.
 *  @param {DeviceStatus | undefined} status */
function queueText(status) {
    if (!status) return '';
    const holds = Object.entries(status.holds ?? {}).filter(([, number]) => number > 0);
    const waiting = status.queuedAssets === 0 ? 'empty' : `${count(status.queuedAssets)} waiting, ${bytes(status.queuedBytes)}`;
    return element('span', {}, `${waiting} `, holds.map(([reason, number]) => mark(`${count(number)} held: ${reason}`, 'waiting')),
        status.deadLetters > 0 && mark(`${count(status.deadLetters)} refused changes`, 'bad'));
}

/** An expired certificate is no problem by itself: the device renews it at its next contact.
 *  @param {string | undefined} expires */
function certificateText(expires) {
    if (!expires) return null;
    return Date.parse(expires) < Date.now() ? 'is renewed at the next contact' : `expires ${ago(expires)}`;
}

/** What can be done about a device's rights on its page.
 *  @param {Device} device */
function nextStep({ state, isRefused, authorization: { restrictedBy } }) {
    if (state === 'revoked') return 'Its rights have ended: to send again, it has to enrol again.';
    if (state === 'suspect') return 'A copy of this device was found. If this is the genuine one, “Resolve” lets it continue.';
    if (state === 'pending' && !isRefused) return 'It waits for an answer: give one with “Change answer…”.';
    if (restrictedBy) return `The policy “${restrictedBy}” limits what it may do. Within that, “Change answer…” decides.`;
    return 'To change what it may do, use “Change answer…”.';
}

/** What changes only by a decision or an edit, as a text to compare.
 *  @param {Device} device */
const lasting = ({ authorization, changedAt, name, state, isRefused, tags, album, consents, consentWithdrawals }) =>
    JSON.stringify([authorization, changedAt, name, state, isRefused, tags, album, consents, consentWithdrawals]);

/** What is known of a device, in rows.
 *  @param {Device} device */
const facts = (device) => definitions([
    ['State', stateMark(device)], ['Access', accessText(device.authorization)],
    ['Last contact', device.lastSeen ? `${ago(device.lastSeen)} (${moment(device.lastSeen)})` : 'never'], ['Queue', queueText(device.status)],
    ['Key', fingerprint(device.keyFingerprint)], ['Code', device.verificationCode && element('strong', { class: 'code' }, device.verificationCode)],
    ['Certificate', certificateText(device.certificateExpires)],
    ['Program', device.build], ['Address', device.address], ['First seen', moment(device.firstSeen)],
    ['Tags', (device.tags ?? []).join(', ')], ['Album', device.album],
    ['Reason to save', device.usage?.add && element('q', {}, device.usage.add)],
    ['Reason to read', device.usage?.readWrite && element('q', {}, device.usage.readWrite)],
    ['Decided', [device.changedBy, moment(device.changedAt), device.reason].filter(Boolean).join(', ')],
    ['ID', element('code', {}, device.id)],
]);

export class DevicePage extends AdminPage {
    /** @param {string} id */
    constructor(id) {
        super('Device');
        this.id = id;
        /** Set by `build`, as are its facts.
         *  @type {Device} */
        this.device;
        /** @type {Element} */
        this.facts;
    }

    async fetch() {
        /** @type {[Device, {entries: AuditEntry[]}]} */
        const [device, audit] = await Promise.all([
            get(path`/v1/admin/devices/${this.id}`), get(`/v1/admin/audit?device=${encodeURIComponent(this.id)}&limit=100`),
        ]);
        return () => this.build(device, audit);
    }

    /** Follows the list of all devices: ages and the queue as they are now, and everything again after another change.
     *  @param {Device[]} devices */
    showDevices(devices) {
        const device = devices.find((one) => one.id === this.id);
        if (!device || !this.device) return;
        if (lasting(device) !== lasting(this.device)) return this.load();
        const [now, fresh] = [this.facts, facts(device)].map((one) => [...one.children]);
        if (now.length !== fresh.length) return fill(this.facts, fresh);
        // What did not change may be selected.
        for (const [index, one] of now.entries()) if (!one.isEqualNode(fresh[index])) one.replaceWith(fresh[index]);
    }

    /** @param {Device} device @param {{entries: AuditEntry[]}} audit */
    build(device, audit) {
        this.device = device;
        this.facts = facts(device);
        write(/** @type {Element} */ (this.root.querySelector('h1')), device.name);
        this.showTools();
        return [
            element('p', { class: 'banner' }, nextStep(device)), this.facts,
            ...consentSection(device, (work) => this.guard(async () => { if (await work()) await this.load(); })),
            element('h2', {}, 'Audit'), auditTable(audit.entries.toReversed(), new Map([[device.id, device.name]])),
        ];
    }

    showTools() {
        const { device } = this;
        const isLimited = device.authorization.readWrite === 'limited';
        const isOver = device.state === 'revoked';
        fill(this.tools,
            button('Its photos', { onClick: () => go({ filter: { device: device.id } }) }),
            isLimited && button('Edit selection', { onClick: () => go({ view: 'select', id: device.id }) }),
            button('Rename…', { aria: { label: 'Rename, tags and album' }, onClick: () => this.guard(() => this.rename()) }),
            !isOver && button('Change answer…', { onClick: () => this.guard(() => this.change()) }),
            !isOver && button('Revoke…', { class: 'quiet-button danger', onClick: () => this.guard(() => this.revoke()) }),
            device.state === 'suspect' && button('Resolve', { onClick: () => this.guard(() => this.act('resolve', 'The device continues.')) }));
    }

    /** @param {() => unknown} work */
    async guard(work) {
        try {
            await work();
        } catch (problem) {
            notifyProblem(problem);
        }
    }

    async change() {
        const answer = await askAnswer(this.device);
        if (!answer || !await isMeant(answer, this.device.name)) return;
        // Whatever the device asks for meanwhile: None ends everything.
        await decide(this.id, { answer, levels: ['addOnly', 'readWrite'] });
        if (this.isClosed) return;
        if (answer === 'selected') return go({ view: 'select', id: this.id });
        await this.load();
    }

    async rename() {
        const edit = await askDeviceEdit(this.device);
        if (!edit) return;
        await patch(path`/v1/admin/devices/${this.id}`, { ...edit, reason: 'on the web page' });
        notify(`“${edit.name}” was saved.`);
        dispatchEvent(new Event('lists'));
        await this.load();
    }

    async revoke() {
        const text = 'Its rights end at once and its connections are closed. What it has saved stays. This cannot be undone: the device would have to enrol again.';
        if (!await confirm(`Revoke “${this.device.name}”?`, text, 'Revoke', { isDangerous: true })) return;
        await this.act('revoke', 'Its rights have ended.');
    }

    /** @param {string} verb @param {string} text */
    async act(verb, text) {
        await post(`${path`/v1/admin/devices/${this.id}`}/${verb}`, { reason: 'on the web page' });
        notify(text);
        await this.load();
    }
}

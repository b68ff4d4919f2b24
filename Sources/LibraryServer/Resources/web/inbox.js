// The inbox: requests that wait for an administrator's answer. The administrator compares the code with the one on the
// device; the server refuses an answer with another code.

import { allDevices, get, path, post } from './api.js';
import { AdminPage, age, answerText, answers, fingerprint, isMeant } from './admin.js';
import { actions, ask } from './dialogs.js';
import { button, element, icon } from './dom.js';
import { emptyState } from './empty.js';
import { notify, notifyProblem } from './notices.js';
import { go, readPlace } from './route.js';

/** @type {Record<string, string>} */
const levels = { addOnly: 'wants to save photos', readWrite: 'wants to see and edit the library' };

/** What a card shows, and how to make it.
 *  @typedef {[string, () => Element]} Card */

export class Inbox extends AdminPage {
    constructor() {
        super('Inbox');
        /** Devices by their identifiers.
         *  @type {Map<string, Device>} */
        this.devices = new Map();
        /** The cards by what they show.
         *  @type {Map<string, Element>} */
        this.cards = new Map();
        this.list = element('ul', { class: 'cards' });
    }

    async fetch() {
        /** @type {[AccessRequests, Device[]]} */
        const [answer, devices] = await Promise.all([get('/v1/admin/requests'), allDevices()]);
        return () => this.build(answer, devices);
    }

    /** @param {AccessRequests} answer @param {Device[]} devices */
    build({ requests, expansions = [] }, devices) {
        this.devices = new Map(devices.map((device) => [device.id, device]));
        // A newly enrolled device waits too, even before it requests a level.
        const asking = new Set(requests.map((request) => request.deviceID));
        for (const device of devices) if (isWaiting(device) && !asking.has(device.id)) requests.push(...newcomer(device));
        const byDevice = Map.groupBy(requests, (request) => request.deviceID);
        this.keep(new Map([
            ...[...byDevice.values()].map((list) => /** @type {Card} */ ([JSON.stringify([list, this.twins(list[0])]), () => this.request(list)])),
            ...expansions.map((expansion) => /** @type {Card} */ ([JSON.stringify(expansion), () => this.expansion(expansion)])),
        ]));
        if (this.cards.size === 0) {
            return element('div', { class: 'empty still' }, emptyState('inbox', 'No open requests',
                'When a camera requests access, it appears here with its code.'));
        }
        return this.list;
    }

    /** Adds and removes cards; the others stay where they are, because a question may be open about one.
     *  @param {Map<string, () => Element>} wanted how to make each card, by what it shows */
    keep(wanted) {
        const hadFocus = this.list.contains(document.activeElement);
        for (const [key, card] of this.cards) {
            if (wanted.has(key)) continue;
            card.remove();
            this.cards.delete(key);
        }
        for (const [key, make] of wanted) {
            if (this.cards.has(key)) continue;
            const card = make();
            this.cards.set(key, card);
            this.list.append(card);
        }
        if (hadFocus && !this.list.contains(document.activeElement)) document.getElementById('content')?.focus();
    }

    /** Devices that look like the one that asks.
     *  @param {AccessRequest} request */
    twins({ deviceID }) {
        return (this.devices.get(deviceID)?.lookAlikes ?? []).map((id) => this.devices.get(id)).filter(Boolean)
            .map((twin) => `“${twin.name}” (${twin.keyFingerprint.slice(0, 8)})`);
    }

    /** A device's requests, answered together.
     *  @param {AccessRequest[]} list */
    request(list) {
        const [first] = list;
        // A device that waits for admission does not save yet.
        const asked = first.verificationCode ? ['addOnly', 'readWrite'] : list.map((wish) => wish.level);
        const twins = this.twins(first);
        return element('li', { class: 'card' },
            element('h2', {}, icon('camera'), element('span', {}, first.deviceName)),
            twins.length > 0 && element('p', { class: 'banner' }, icon('warning'),
                ` Looks like ${twins.join(', ')}, but is a different device.`),
            first.verificationCode && element('p', {}, 'Its screen must show this code: ',
                element('strong', { class: 'code' }, first.verificationCode)),
            element('ul', { class: 'wishes' }, list.map((wish) => element('li', {},
                element('strong', {}, levels[wish.level] ?? wish.level), element('q', {}, wish.usage)))),
            element('p', { class: 'quiet' }, 'Key ', fingerprint(first.keyFingerprint),
                first.address ? `, from ${first.address}` : '', ', asked ', age(first.openedAt),
                first.expiresAt ? [', expires ', age(first.expiresAt)] : ''),
            element('div', { class: 'answers', role: 'group', aria: { label: `Answer for ${first.deviceName}` } },
                answers.map((one) => element('button', {
                    type: 'button', class: one.answer === 'none' ? 'answer no' : 'answer', data: { answer: one.answer },
                    on: { click: () => this.decide(first, one.answer, answerText(one, asked)) },
                }, element('strong', {}, one.name), element('span', {}, answerText(one, asked))))));
    }

    /** @param {AccessRequest} request @param {Answer} answer @param {string} text */
    async decide(request, answer, text) {
        if (!await isMeant(answer, request.deviceName)) return;
        try {
            await decide(request.deviceID, { answer, expectedCode: request.verificationCode });
            notify(`“${request.deviceName}”: ${text}.`);
            if (answer === 'selected' && readPlace().view === 'inbox') return go({ view: 'select', id: request.deviceID });
        } catch (problem) {
            notifyProblem(problem);
        }
        this.renew();
    }

    /** Reloads the inbox and its badge, unless another view is shown. The answered card goes, so the focus moves to the top:
     *  never to another device's answers. */
    renew() {
        // Another answer may have replaced this one.
        if (readPlace().view !== 'inbox') return;
        document.getElementById('content')?.focus();
        dispatchEvent(new Event('place'));
    }

    /** @param {Expansion} wish */
    expansion(wish) {
        const refuse = async () => {
            try {
                await post(path`/v1/admin/requests/expansions/${wish.deviceID}`, {});
                notify(`“${wish.deviceName}” sees no more than before.`);
            } catch (problem) {
                notifyProblem(problem);
            }
            this.renew();
        };
        return element('li', { class: 'card' },
            element('h2', {}, icon('photos'), element('span', {}, wish.deviceName)),
            element('p', {}, element('strong', {}, 'asks to see more '), element('q', {}, wish.reason)),
            element('p', { class: 'quiet' }, wish.address ? `From ${wish.address}, ` : '', 'asked ', age(wish.openedAt), ', expires ', age(wish.expiresAt)),
            element('div', { class: 'actions start' },
                button('Choose photos…', { isQuiet: false, onClick: () => go({ view: 'select', id: wish.deviceID, filter: {} }) }),
                button('Refuse', { onClick: refuse })));
    }
}

/** Whether a device waits for admission, and was not refused.
 *  @param {Device} device */
const isWaiting = (device) => device.state === 'pending' && !device.isRefused;

/** The requests that a newly enrolled device would make, by its usage texts.
 *  @param {Device} device @returns {AccessRequest[]} */
function newcomer(device) {
    const wish = {
        deviceID: device.id, deviceName: device.name, keyFingerprint: device.keyFingerprint, address: device.address,
        verificationCode: device.verificationCode, openedAt: device.firstSeen,
    };
    const wishes = /** @type {AccessRequest[]} */ (Object.entries({ addOnly: device.usage?.add, readWrite: device.usage?.readWrite })
        .filter(([, usage]) => usage).map(([level, usage]) => ({ ...wish, level, usage })));
    return wishes.length > 0 ? wishes : [{ ...wish, level: 'addOnly', usage: 'No reason given.' }];
}

/** Sends one of the four answers, for the levels that the device asks for unless others are named; the server refuses it if
 *  `expectedCode` is not the device's.
 *  @param {string} device @param {{answer: Answer, levels?: string[], expectedCode?: string}} decision */
export const decide = (device, decision) => post(path`/v1/admin/devices/${device}/decision`, decision);

/** Asks for a new answer for a device that already has one.
 *  @param {Device} device @returns {Promise<Answer | null>} */
export function askAnswer(device) {
    return ask(`What may “${device.name}” do?`, (finish, dialog) => element('div', {},
        element('div', { class: 'answers' }, answers.map((one) => element('button', {
            type: 'button', class: one.answer === 'none' ? 'answer no' : 'answer', on: { click: () => finish(one.answer) },
        }, element('strong', {}, one.name), element('span', {}, one.text)))), actions(dialog)));
}

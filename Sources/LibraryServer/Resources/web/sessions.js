// Logins and open picker sessions; each can be ended.

import { allDevices, currentSession, get, path, remove } from './api.js';
import { AdminPage, age, mark, table } from './admin.js';
import { button, element } from './dom.js';
import { counted, moment } from './format.js';
import { notify, notifyProblem } from './notices.js';

export class Sessions extends AdminPage {
    constructor() { super('Sessions'); }

    async fetch() {
        /** @type {[{sessions: WebSession[]} | null, {sessions: PickerSession[]} | null, Pick<WebSession, 'name' | 'expires'> | null, Device[]]} */
        const [logins, pickers, own, devices] = await Promise.all([
            get('/v1/admin/web-logins').catch(() => null), get('/v1/admin/picker-sessions').catch(() => null), currentSession().catch(() => null),
            allDevices().catch(() => []),
        ]);
        const deviceNames = new Map(devices.map(({ id, name }) => /** @type {const} */ ([id, name])));
        /** @param {WebSession} one */
        const isOwn = (one) => Boolean(own) && one.name === own?.name && one.expires === own?.expires;
        /** @param {string} label @param {string} whose @param {string} url @param {string} text */
        const end = (label, whose, url, text) => button(label, { aria: { label: `${label}: ${whose}` }, onClick: async ({ currentTarget }) => {
            const list = /** @type {Element} */ (currentTarget).closest('.table')?.getAttribute('aria-label');
            try {
                await remove(url);
                // It goes: else the focus would go to a button of the same name.
                /** @type {HTMLElement} */ (currentTarget).blur();
                notify(text);
            } catch (problem) {
                notifyProblem(problem);
            }
            await this.load();
            // The button has gone with what it ended.
            if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (this.body.querySelector(`.table[aria-label="${list}"]`))?.focus();
        } });
        const sessions = (logins?.sessions ?? []).toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || Date.parse(b.created) - Date.parse(a.created));
        const picks = (pickers?.sessions ?? []).toReversed();
        return () => [
            element('h2', {}, 'Logged in'),
            sessions.length === 0 ? element('p', { class: 'quiet' }, 'Nobody is logged in.') : table('Logged in',
                ['Who', 'Browser', 'From', 'Since', 'Ends', ''], sessions.map((one) => [
                    isOwn(one) ? element('span', {}, one.name, ' ', mark('this browser', 'good')) : one.name,
                    element('span', { title: one.userAgent }, browserName(one.userAgent)), one.address ?? '', moment(one.created), age(one.expires),
                    end('Log out', isOwn(one) ? 'this browser' : [one.name, browserName(one.userAgent), `since ${moment(one.created)}`].filter(Boolean).join(', '), path`/v1/admin/web-logins/${one.id}`, 'Logged out.'),
                ])),
            element('h2', {}, 'Picker sessions'),
            picks.length === 0 ? element('p', { class: 'quiet' }, 'No picker sessions.') : table('Picker sessions',
                ['For', 'Purpose', 'State', 'Chosen', 'Ends', ''], picks.map((one) => [
                    deviceNames.get(one.deviceID) ?? one.caller, element('q', {}, one.request.purpose), mark(one.state, one.state === 'open' ? 'waiting' : ''), counted(one.picked.length, 'photo'),
                    one.state === 'ended' ? '' : age(one.expires), one.state === 'ended' ? '' : end('End', `${deviceNames.get(one.deviceID) ?? one.caller}, ${one.request.purpose}`,
                        path`/v1/admin/picker-sessions/${one.id}`, 'The session has ended.'),
                ])),
        ];
    }
}

/** Browsers and systems, each by a sign of its own in a User-Agent; the first that is found counts, for most imitate others.
 *  @type {[RegExp, string][]} */
const browsers = [
    [/Edg\w*\//, 'Edge'], [/OPR\//, 'Opera'], [/SamsungBrowser\//, 'Samsung Internet'], [/Firefox\/|FxiOS\//, 'Firefox'],
    [/Chrome\/|CriOS\//, 'Chrome'], [/Safari\//, 'Safari'],
];
/** @type {[RegExp, string][]} */
const systems = [
    [/Android/, 'Android'], [/iPhone/, 'iPhone'], [/iPad/, 'iPad'], [/Windows/, 'Windows'], [/Mac OS X/, 'macOS'], [/CrOS/, 'ChromeOS'], [/Linux/, 'Linux'],
];

/** A browser by the name that people know; any other program by its own.
 *  @param {string | undefined} agent */
function browserName(agent = '') {
    /** @param {[RegExp, string][]} signs */
    const find = (signs) => signs.find(([sign]) => sign.test(agent))?.[1];
    const [browser, system] = [find(browsers), find(systems)];
    return browser && system ? `${browser} on ${system}` : browser ?? agent.split(' ')[0];
}

// The consents given at a box for its cameras and microphones, which can be withdrawn here, but given only at the box.

import { path, post } from './api.js';
import { mark, table } from './admin.js';
import { confirm } from './dialogs.js';
import { button, element } from './dom.js';
import { notify } from './notices.js';

/** @type {Record<string, [string, string]>} */
const statuses = {
    authorized: ['may be used', 'good'], denied: ['not allowed', 'bad'],
    restricted: ['forbidden by its settings', 'bad'], notDetermined: ['not decided', 'waiting'],
};

/** The section of a device's page; nothing for a device that reports no camera or microphone.
 *  @param {Device} device @param {(work: () => Promise<boolean>) => unknown} changed */
export function consentSection(device, changed) {
    const { consents = [], consentWithdrawals = [] } = device;
    if (consents.length === 0) return [];
    /** @param {Consent} one */
    const isWithdrawn = (one) => consentWithdrawals.some((other) => other.capability === one.capability && other.device === one.device);
    const rows = consents.map((one) => {
        const kind = one.capability === 'microphone' ? 'Microphone' : 'Camera';
        const isUsed = one.status === 'authorized';
        if (isUsed && isWithdrawn(one)) return [kind, one.device, mark('withdrawn; it stops at its next contact', 'waiting'), ''];
        const act = isUsed && device.state !== 'revoked'
            && button('Withdraw…', { class: 'quiet-button danger', aria: { label: `Withdraw: ${kind} ${one.device}` }, onClick: () => changed(() => withdraw(device, one, kind)) });
        return [kind, one.device, mark(.../** @type {[string, string?]} */ (statuses[one.status] ?? [one.status])), act || ''];
    });
    return [element('h2', {}, 'Cameras and microphones'), table('Cameras and microphones', ['Kind', 'Device', 'At the box', 'Change'], rows)];
}

/** Asks for confirmation, and withdraws one consent; returns false if cancelled.
 *  @param {Device} device @param {Consent} consent @param {string} kind */
async function withdraw(device, { capability, device: name }, kind) {
    const text = `“${device.name}” stops using it at its next contact. Only a person at the box can allow it again: tintype-agent consent set ${capability} authorized`;
    if (!await confirm(`Withdraw the consent for ${kind.toLowerCase()} ${name}?`, text, 'Withdraw', { isDangerous: true })) return false;
    await post(path`/v1/admin/devices/${device.id}/consents/withdrawals`, { capability, device: name, reason: 'on the web page' });
    notify('The consent was withdrawn.');
    return true;
}

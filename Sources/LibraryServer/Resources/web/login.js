// Logging in with a link that works once. Its secret stands behind the #, which browsers never send; it is taken out of
// the address at once.

import { Problem, call } from './api.js';
import { element, fill, icon } from './dom.js';

const card = document.getElementById('content');
const secret = location.hash.slice(1);
history.replaceState(null, '', location.pathname);

const title = () => element('h1', {}, icon('camera'), ' Tintype');

function explain(message) {
    document.title = 'Log in · Tintype';
    fill(card, title(),
        message && element('p', { class: 'banner', role: 'alert' }, message),
        element('p', {}, 'You log in with a link that works once. Whoever runs this server makes one with:'),
        element('p', {}, element('code', {}, 'tintypectl web login')),
        element('p', { class: 'quiet' }, 'Open the link that it prints in this browser.'));
}

async function logIn() {
    fill(card, title(), element('p', { class: 'quiet', role: 'status' }, 'Logging in…'));
    try {
        await call('POST', '/login', { body: { secret } });
        location.replace('/');
    } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        explain(problem.isOffline ? problem.message : `${problem.message} Links work once and for a short while; make a new one.`);
    }
}

if (secret) logIn();
else explain(null);

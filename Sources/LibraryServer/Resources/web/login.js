// Login by a single-use link or a password. The link's secret is in the fragment, which browsers never send; it is removed
// from the address at once.

import { Problem, afterLogin, call, currentSession } from './api.js';
import { button, element, fill, icon } from './dom.js';

const card = /** @type {HTMLElement} */ (document.getElementById('content'));
const title = () => element('h1', {}, icon('camera'), ' Tintype');

/** `user` is who is logged in already.
 *  @param {string | null} message @param {string} [name] @param {string} [user] */
function explain(message, name, user) {
    document.title = 'Log in · Tintype';
    fill(card, title(),
        message && element('p', { class: 'banner', role: 'alert' }, message),
        user && element('p', {}, `You are logged in as ${user}. `, element('a', { href: '/' }, 'Go to the photos')),
        element('p', {}, 'Log in with a single-use link. An administrator of this server creates one with:'),
        element('p', {}, element('code', {}, 'tintypectl web login')),
        element('p', { class: 'quiet' }, 'Open the link that it prints in this browser.'),
        passwordForm(name));
    if (name) card.querySelector('[type=password]')?.focus();
}

/** The form for operators with a password.
 *  @param {string | undefined} known */
function passwordForm(known) {
    const name = element('input', { type: 'text', value: known ?? '', autocomplete: 'username', required: true, maxlength: 64 });
    const password = element('input', { type: 'password', autocomplete: 'current-password', required: true, maxlength: 1024 });
    return element('details', { open: Boolean(known) }, element('summary', {}, 'Log in with a password'), element('form', {
        class: 'stack', on: { submit: (event) => {
            event.preventDefault();
            logIn({ name: name.value.trim(), password: password.value });
        } },
    }, element('label', { class: 'field' }, 'Name', name), element('label', { class: 'field' }, 'Password', password),
    button('Log in', { isQuiet: false, type: 'submit' })));
}

/** @param {{secret?: string, name?: string, password?: string}} request */
async function logIn(request) {
    fill(card, title(), element('p', { class: 'quiet', role: 'status' }, 'Logging in…'));
    // A second login needs the current session's CSRF token.
    const session = await currentSession().catch(() => null);
    try {
        await call('POST', '/login', { body: request });
        location.replace(afterLogin());
    } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        explain(problem.message, request.name, session?.name);
    }
}

function start() {
    const secret = location.hash.slice(1);
    const hasEnded = location.search === '?ended';
    history.replaceState(null, '', location.pathname);
    if (secret) logIn({ secret });
    else explain(hasEnded ? 'You are not logged in, or your login has ended. After logging in, you return to where you were.' : null);
}

// A link opened while this page is shown changes only the fragment.
addEventListener('hashchange', () => location.hash && start());
start();

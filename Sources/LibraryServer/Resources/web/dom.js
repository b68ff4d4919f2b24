// Creates every element of the page. A string only ever becomes a text node or an attribute's value, never markup, so
// that a file name, caption or device name cannot do anything.

const namespace = 'http://www.w3.org/2000/svg';

// Enter held down acts once: repeated, it would press its button again, or whatever has the focus by then.
addEventListener('keydown', (event) => {
    if (event.repeat && event.key === 'Enter' && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
});

/** Creates an element. In `properties`, `on` holds listeners, `data` the dataset, `aria` ARIA attributes; the rest are
 *  attributes, left out if false, null or undefined.
 *  @template {keyof HTMLElementTagNameMap} Name
 *  @param {Name} name
 *  @param {Properties<HTMLElementTagNameMap[Name]>} [properties]
 *  @param {...Children} children
 *  @returns {HTMLElementTagNameMap[Name]} */
export function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(/** @type {Record<string, any>} */ (properties))) {
        if (value === false || value === null || value === undefined) continue;
        if (key === 'on') for (const [type, listener] of Object.entries(value)) made.addEventListener(type, listener);
        else if (key === 'data') Object.assign(made.dataset, value);
        else if (key === 'aria') for (const [state, text] of Object.entries(value)) setAria(made, state, text);
        else if (key === 'value') /** @type {HTMLInputElement} */ (made).value = value;
        else made.setAttribute(key === 'className' ? 'class' : key, value === true ? '' : key === 'title' || key === 'alt' ? inert(String(value)) : String(value));
    }
    made.append(.../** @type {(Node | string)[]} */ (children.flat(3).filter((child) => child !== null && child !== undefined && child !== false)).map(inert));
    return made;
}

/** Bidirectional control characters (UAX #9, 2.1 to 2.3), with which a file name could imitate another. Right-to-left
 *  text does not need them. */
const turners = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text safe to show: bidirectional controls become a visible replacement character.
 *  @template Content
 *  @param {Content} child
 *  @returns {Content extends string ? string : Content} */
export const inert = (child) => /** @type {any} */ (typeof child === 'string' ? child.replace(turners, '\ufffd') : child);

/** Sets an ARIA attribute; null and undefined remove it.
 *  @param {Element} target @param {string} state @param {Attribute} value */
export function setAria(target, state, value) {
    if (value === null || value === undefined) target.removeAttribute(`aria-${state}`);
    else target.setAttribute(`aria-${state}`, inert(String(value)));
}

/** A button with an icon, a label or both; without a visible label it gets an accessible name and a tooltip.
 *  @param {string} label
 *  @param {{symbol?: string, onClick?: (event: MouseEvent) => unknown, isQuiet?: boolean, showsLabel?: boolean,
 *      [attribute: string]: Attribute | Record<string, Attribute> | ((event: MouseEvent) => unknown)}} options */
export function button(label, { symbol, onClick, isQuiet = true, showsLabel = !symbol, ...rest } = {}) {
    return element('button', {
        type: 'button',
        class: [isQuiet ? 'quiet-button' : 'button', showsLabel ? '' : 'icon-button'].join(' ').trim(),
        aria: showsLabel ? {} : { label },
        title: showsLabel ? null : label,
        on: onClick ? { click: onClick } : {},
        ...rest,
    }, symbol ? icon(symbol) : null, showsLabel ? label : null);
}

/** Replaces an element's content; the focus moves to the new control with the same name, else to what surrounds it. Identical
 *  content is left alone, so that an open list does not close.
 *  @template {Element} Target @param {Target} target @param {...Children} children @returns {Target} */
export function fill(target, ...children) {
    const wanted = /** @type {(Node | string)[]} */ (children.flat(3).filter((child) => child !== null && child !== undefined && child !== false)).map(inert);
    if (wanted.length === target.childNodes.length && wanted.every((child, index) => child === target.childNodes[index])) return target;
    const focused = target.contains(document.activeElement) && document.activeElement !== target ? nameOf(/** @type {Element} */ (document.activeElement)) : null;
    target.replaceChildren(...wanted);
    if (focused && !target.contains(document.activeElement)) {
        ([...target.querySelectorAll('button, input, select, textarea, a')].find((one) => nameOf(one) === focused) ?? target.closest('[tabindex]'))?.focus({ preventScroll: true });
    }
    return target;
}

/** Sets a text if it differs, so that a live region does not announce it twice.
 *  @param {Element} target @param {string} text */
export function write(target, text) {
    const shown = inert(text);
    if (target.textContent !== shown) target.textContent = shown;
}

/** @param {Element & {labels?: ArrayLike<{firstChild: Node}> | null}} control */
const nameOf = (control) => control.getAttribute('aria-label') ?? control.labels?.[0]?.firstChild.textContent ?? control.textContent;

/** One of the icons below: 24 × 24, stroked in the text's colour.
 *  @param {string} name */
export function icon(name) {
    const picture = document.createElementNS(namespace, 'svg');
    picture.setAttribute('viewBox', '0 0 24 24');
    picture.setAttribute('class', `icon icon-${name}`);
    picture.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS(namespace, 'path');
    path.setAttribute('d', paths[name] ?? '');
    picture.append(path);
    return picture;
}

/** @type {Record<string, string>} */
const paths = {
    photos: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5h.01',
    heart: 'M12 20S4 15 4 9a4 4 0 0 1 8-1.5A4 4 0 0 1 20 9c0 6-8 11-8 11z',
    albums: 'M7 3h10M5 6h14M3 9h18v12H3z',
    trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6',
    restore: 'M4 10a8 8 0 1 1 1 6M4 4v6h6',
    inbox: 'M3 13l3-9h12l3 9v7H3zM3 13h6a3 3 0 0 0 6 0h6',
    camera: 'M3 8h4l2-3h6l2 3h4v11H3zM12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
    list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
    disk: 'M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0',
    person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-8 16-8 16 0',
    search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM20 20l-4.8-4.8',
    close: 'M6 6l12 12M18 6L6 18',
    back: 'M15 5l-7 7 7 7',
    forward: 'M9 5l7 7-7 7',
    check: 'M5 12l5 5 9-10',
    info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01',
    download: 'M12 4v11M7 10l5 5 5-5M4 20h16',
    live: 'M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 17.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
    play: 'M8 5l11 7-11 7z',
    pause: 'M8 5v14M16 5v14',
    sound: 'M4 9v6h4l5 4V5L8 9zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11',
    mute: 'M4 9v6h4l5 4V5L8 9zM16 10l5 5M21 10l-5 5',
    stack: 'M8 4h12v12M4 8h12v12H4z',
    map: 'M3 6l6-2 6 2 6-2v14l-6 2-6-2-6 2zM9 4v14M15 6v14',
    minus: 'M5 12h14',
    plus: 'M12 5v14M5 12h14',
    filter: 'M4 6h16M7 12h10M10 18h4',
    tag: 'M4 4h8l9 9-8 8-9-9zM8.5 8.5h.01',
    star: 'M12 3.5l2.6 5.5 6 .8-4.4 4.1 1.1 6L12 17l-5.3 2.9 1.1-6L3.4 9.8l6-.8z',
    warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
    edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
    clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
};

// The filter bar. It shows what the URL says and writes the URL; it holds nothing itself.

import { button, element, fill, icon } from './dom.js';
import { typeNames } from './route.js';

/** Makes the bar; `onChange` gets the whole filter anew. `lists` has `devices` and `albums`, each with id and name. */
export function filterBar(filter, { lists = {}, onChange, fixed = [] }) {
    const set = (key, value) => {
        const next = { ...filter, [key]: value };
        for (const name of Object.keys(next)) if (!next[name]) delete next[name];
        onChange(next);
    };
    const offers = (key) => !fixed.includes(key);
    const choice = (key, label, options) => offers(key) && labelled(label, element('select', {
        class: filter[key] ? 'set' : '', on: { change: (event) => set(key, event.target.value) },
    }, element('option', { value: '' }, label), options.map(([value, name]) =>
        element('option', { value, selected: filter[key] === value }, name))));
    const day = (key, label) => offers(key) && element('label', { class: filter[key] ? 'day set' : 'day' }, label, element('input', {
        type: 'date', value: filter[key] ?? '', on: { change: (event) => set(key, event.target.value) },
    }));
    const parts = [
        choice('type', 'All types', Object.entries(typeNames)),
        day('from', 'From'), day('until', 'Until'),
        lists.devices?.length > 0 && choice('device', 'Any device', lists.devices.map(({ id, name }) => [id, name])),
        lists.albums?.length > 0 && choice('album', 'Any album', lists.albums.map(({ id, name }) => [id, name])),
        choice('rating', 'Any rating', [1, 2, 3, 4, 5].map((stars) => [String(stars), `${'★'.repeat(stars)} or more`])),
        offers('keyword') && labelled('Keyword', element('input', {
            type: 'text', class: filter.keyword ? 'set' : '', placeholder: 'Keyword', value: filter.keyword ?? '', maxlength: 256,
            on: { change: (event) => set('keyword', event.target.value.trim()) },
        })),
        offers('favorite') && element('button', {
            type: 'button', class: 'toggle', aria: { pressed: Boolean(filter.favorite) },
            on: { click: () => set('favorite', filter.favorite ? null : '1') },
        }, icon('heart'), 'Favourites'),
        Object.keys(filter).some((key) => key !== 'text' && offers(key)) && button('Clear', {
            onClick: () => onChange(filter.text ? { text: filter.text } : {}),
        }),
    ];
    return fill(element('div', { class: 'filters', role: 'group', aria: { label: 'Filter' } }), parts);
}

const labelled = (label, control) => {
    control.setAttribute('aria-label', label);
    return control;
};

/** The search field of the top bar. */
export function searchField(text, onSearch) {
    const input = element('input', {
        type: 'search', placeholder: 'Search captions, keywords, places, files', value: text ?? '', maxlength: 512,
        aria: { label: 'Search' }, enterkeyhint: 'search',
    });
    let timer = null;
    const send = () => {
        clearTimeout(timer);
        onSearch(input.value.trim());
    };
    input.addEventListener('input', () => {
        clearTimeout(timer);
        timer = setTimeout(send, 350);
    });
    return element('form', { class: 'search', role: 'search', on: { submit: (event) => {
        event.preventDefault();
        send();
    } } }, icon('search'), input);
}

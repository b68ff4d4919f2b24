// The list of keys.

import { ask } from './dialogs.js';
import { button, element } from './dom.js';

const keys = {
    Photos: [
        ['/', 'search'], ['Arrows, Home, End', 'move between photos'], ['Page Up, Page Down', 'scroll'], ['Enter', 'open a photo'], ['Escape', 'close it, or clear the selection'],
        ['Space or X', 'select a photo'], ['Shift + arrows, Shift + click', 'select a range'], ['Ctrl + A', 'select all'],
        ['Delete', 'move to the trash'], ['Ctrl + Z', 'undo'], ['?', 'this list'],
    ],
    'An open photo': [
        ['Left, Right', 'the photo before, the next'], ['F', 'favourite'], ['1 to 5, 0', 'stars'], ['+, −, Z', 'zoom in, out, to full size; the arrows then pan'], ['I', 'details'], ['S', 'slideshow'],
        ['C', 'the same moment, all cameras'], ['L, M', 'play a Live Photo, its sound'], ['Space', 'play or pause a video, a sound or the slideshow'], ['Delete, Ctrl + Z, ?', 'as above'],
    ],
};

export function showKeys() {
    ask('Keys', (_, dialog) => element('div', {}, Object.entries(keys).map(([where, list]) => [
        element('h3', {}, where),
        element('dl', { class: 'keys' }, list.flatMap(([key, text]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, text)])),
    ]), element('div', { class: 'actions' }, button('Close', { isQuiet: false, onClick: () => dialog.close() }))));
}

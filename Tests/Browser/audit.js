// An audit of one state of the page against WCAG 2.2 AA, as far as a script can judge: names and roles, contrast as it is
// drawn, target sizes, focus order, headings and landmarks. Run in the page; gives a list of findings, each a sentence.
(() => {
    const findings = [];
    const report = (rule, element, text) => {
        const name = element.id ? `#${element.id}` : element.className?.baseVal ?? element.className;
        findings.push(`${rule}: ${element.tagName.toLowerCase()}.${String(name).split(' ').join('.')} ${text}`);
    };
    // What is in a modal dialog is all that there is while it is open.
    const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
    const isShown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
        && !element.closest('[aria-hidden="true"]') && element.getClientRects().length > 0;
    const all = [...scope.querySelectorAll('*')].filter(isShown);

    // Names (1.1.1, 2.4.4, 4.1.2).
    const labelText = (element) => [...(element.labels ?? [])].map((label) => label.textContent).join(' ');
    const nameOf = (element) => (element.getAttribute('aria-label')
        ?? element.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent).join(' ')
        ?? (labelText(element) || element.textContent.trim() || element.getAttribute('alt') || element.title || element.placeholder || '')).trim();
    const interactive = 'a[href], button, input, select, textarea, summary, [role=slider], [role=gridcell][tabindex], [tabindex="0"]';
    for (const element of all) {
        if (element.matches(interactive) && !nameOf(element)) report('4.1.2 name', element, 'has no accessible name');
        if (element.matches('img') && !element.hasAttribute('alt')) report('1.1.1 alt', element, 'has no alt');
        if (element.matches('dialog, [role=grid], nav, [role=toolbar], [role=region]') && !nameOf(element)) report('4.1.2 name', element, 'has no name');
        if (element.hasAttribute('tabindex') && element.tabIndex > 0) report('2.4.3 order', element, 'jumps the order with a positive tabindex');
    }

    // Roles whose children are fixed (1.3.1).
    for (const grid of scope.querySelectorAll('[role=grid]')) {
        for (const child of grid.children) if (child.getAttribute('role') !== 'row') report('1.3.1 grid', child, 'is in a grid and no row');
        for (const row of grid.querySelectorAll('[role=row]')) {
            for (const child of row.children) if (!['gridcell', 'rowheader'].includes(child.getAttribute('role'))) report('1.3.1 row', child, 'is in a row and no cell');
        }
    }
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    for (const id of ids.filter((one, index) => ids.indexOf(one) !== index)) findings.push(`4.1.1 id: “${id}” is there twice`);

    // Landmarks, language, title and headings (1.3.1, 2.4.2, 3.1.1).
    if (!document.documentElement.lang) findings.push('3.1.1 language: the document names none');
    if (!document.title) findings.push('2.4.2 title: the document has none');
    if (document.querySelectorAll('main').length !== 1) findings.push('1.3.1 landmark: there is not exactly one main');
    if (scope === document.body && ![...document.querySelectorAll('h1')].some(isShown)) findings.push('1.3.1 heading: there is no h1');

    // Contrast as it is drawn (1.4.3): text over one colour; text over a picture has a plate of its own.
    const parse = (text) => {
        const parts = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
        return text.startsWith('color(srgb') ? [...parts.slice(0, 3).map((part) => part * 255), parts[3] ?? 1] : [parts[0], parts[1], parts[2], parts[3] ?? 1];
    };
    const over = (top, below) => top.slice(0, 3).map((part, index) => part * top[3] + below[index] * (1 - top[3]));
    const ground = (element) => {
        const layers = [];
        for (let at = element; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            if (colour[3] > 0) layers.push(colour);
            if (colour[3] === 1) break;
        }
        const last = layers.at(-1)?.[3] === 1 ? layers.pop() : parse(getComputedStyle(document.documentElement).colorScheme.includes('dark')
            && matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18,18,18)' : 'rgb(255,255,255)');
        return layers.reverse().reduce((below, top) => over(top, below), last.slice(0, 3));
    };
    const luminance = (colour) => {
        const [red, green, blue] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
        const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
        return (light + 0.05) / (dark + 0.05);
    };
    let texts = 0;
    for (const element of all) {
        const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
        if (!hasText || element.closest('.hidden, option') || element.matches(':disabled')) continue;
        texts += 1;
        const style = getComputedStyle(element);
        const below = ground(element);
        const ratio = contrast(over(parse(style.color), below), below);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (isLarge ? 3 : 4.5)) report('1.4.3 contrast', element, `has ${ratio.toFixed(2)}:1 (“${element.textContent.trim().slice(0, 30)}”)`);
    }

    // Sizes of targets (2.5.8): 24 by 24 pixels, except for links within a sentence.
    for (const element of all) {
        if (!element.matches('button, select, input:not([type=checkbox]), summary, nav a, dd a') || element.matches('p .link')) continue;
        const box = element.getBoundingClientRect();
        if (box.width < 24 || box.height < 24) report('2.5.8 target', element, `is ${Math.round(box.width)} by ${Math.round(box.height)}`);
    }

    // Reflow (1.4.10): nothing is wider than the window but what scrolls in itself.
    if (document.documentElement.scrollWidth > innerWidth + 1) findings.push(`1.4.10 reflow: the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);
    return { findings: [...new Set(findings)], elements: all.length, texts };
})()

// Rows of equal height that fill the width, as photo walls are hung: each picture keeps its shape, the rows differ a
// little in height. Pure numbers in, pure numbers out.

/** Shapes are held between these, so that a panorama or a strip does not make a row of its own. */
const narrowest = 0.45;
const widest = 2.8;

/** Width over height of an asset as it is shown in the grid. */
export function aspectRatio(asset) {
    const size = asset.pixelSize;
    if (!size || !(size.width > 0) || !(size.height > 0)) return 4 / 3;
    return Math.min(widest, Math.max(narrowest, size.width / size.height));
}

/** Lays pictures out in rows; gives for each its top, height, the index it begins with, and the widths in it. */
export function justify(ratios, { width, rowHeight, gap }) {
    const rows = [];
    let [start, sum, top] = [0, 0, 0];
    const close = (end, height) => {
        const widths = [];
        for (let index = start; index < end; index += 1) widths.push(ratios[index] * height);
        rows.push({ top, height, start, widths });
        top += height + gap;
        [start, sum] = [end, 0];
    };
    for (let index = 0; index < ratios.length; index += 1) {
        sum += ratios[index];
        const room = width - gap * (index - start);
        if (sum * rowHeight >= room) close(index + 1, room / sum);
    }
    if (start < ratios.length) {
        // The last row keeps the usual height and stays open at its end, unless even that is too wide.
        const room = width - gap * (ratios.length - start - 1);
        close(ratios.length, Math.min(rowHeight, room / sum));
    }
    return { rows, height: top };
}

/** How high so many pictures will be before their shapes are known. */
export function estimatedHeight(count, ratio, { width, rowHeight, gap }) {
    return Math.ceil((count * (ratio * rowHeight + gap)) / width) * (rowHeight + gap);
}

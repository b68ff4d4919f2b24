// Justified rows: each photo keeps its aspect ratio, each row fills the width, and heights vary slightly. Pure functions.

/** Aspect ratios are clamped to these, so that a panorama does not take a row of its own. */
const narrowest = 0.45;
const widest = 2.8;

/** An asset's aspect ratio in the grid.
 *  @param {Pick<Asset, 'pixelSize'>} asset */
export function aspectRatio(asset) {
    const size = asset.pixelSize;
    if (!size || !(size.width > 0) || !(size.height > 0)) return 4 / 3;
    return Math.min(widest, Math.max(narrowest, size.width / size.height));
}

/** Whether a tile shows less than three quarters of a picture, because it is far wider or taller than tiles are.
 *  @param {Pick<Asset, 'pixelSize'>} asset */
export function isCropped(asset) {
    const { width, height } = asset.pixelSize ?? { width: 4, height: 3 };
    const scale = aspectRatio(asset) * height / width;
    return Math.min(scale, 1 / scale) < 0.75;
}

/** Lays photos out in rows; returns each row's top, height, first index and widths.
 *  @param {number[]} ratios @param {{width: number, rowHeight: number, gap: number}} metrics @returns {Layout} */
export function justify(ratios, { width, rowHeight, gap }) {
    /** @type {Row[]} */
    const rows = [];
    let [start, sum, top] = [0, 0, 0];
    /** @param {number} end @param {number} height */
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
        // The last row keeps the normal height and may end early, unless it is too wide.
        const room = width - gap * (ratios.length - start - 1);
        close(ratios.length, Math.min(rowHeight, room / sum));
    }
    return { rows, height: top };
}

/** Estimates the height of photos whose aspect ratios are unknown.
 *  @param {number} count @param {number} ratio @param {{width: number, rowHeight: number, gap: number}} metrics */
export function estimatedHeight(count, ratio, { width, rowHeight, gap }) {
    return Math.ceil((count * (ratio * rowHeight + gap)) / width) * (rowHeight + gap);
}

// Placeholders (ThumbHash, https://evanw.github.io/thumbhash/): the average colour and the lowest terms of a cosine
// transform. Alpha is not drawn: photographs have none.

/** Decodes Base64; null if the text is invalid.
 *  @param {string} text */
function decodeBase64(text) {
    try {
        return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    } catch {
        return null;
    }
}

/** @param {Uint8Array} hash */
function header(hash) {
    const first = hash[0] | (hash[1] << 8) | (hash[2] << 16);
    const second = hash[3] | (hash[4] << 8);
    const isLandscape = second >> 15 !== 0;
    const hasAlpha = first >> 23 !== 0;
    const longSide = hasAlpha ? 5 : 7;
    return {
        l: (first & 63) / 63,
        p: ((first >> 6) & 63) / 31.5 - 1,
        q: ((first >> 12) & 63) / 31.5 - 1,
        lScale: ((first >> 18) & 31) / 31,
        pScale: ((second >> 3) & 63) / 63,
        qScale: ((second >> 9) & 63) / 63,
        width: Math.max(3, isLandscape ? longSide : second & 7),
        height: Math.max(3, isLandscape ? second & 7 : longSide),
        start: hasAlpha ? 6 : 5,
    };
}

/** Reads one channel's coefficients; `cursor` counts nibbles.
 *  @param {Uint8Array} hash @param {number} start @param {{at: number}} cursor @param {number} columns @param {number} rows @param {number} scale */
function factors(hash, start, cursor, columns, rows, scale) {
    const list = [];
    for (let y = 0; y < rows; y += 1) {
        for (let x = y ? 0 : 1; x * rows < columns * (rows - y); x += 1) {
            const nibble = (hash[start + (cursor.at >> 1)] >> ((cursor.at & 1) << 2)) & 15;
            list.push((nibble / 7.5 - 1) * scale);
            cursor.at += 1;
        }
    }
    return list;
}

/** @param {number} l @param {number} p @param {number} q */
const channels = (l, p, q) => {
    const blue = l - (2 / 3) * p;
    const red = (3 * l - blue + q) / 2;
    return [red, red - q, blue];
};

/** The average colour alone, which is cheap; null if the text is not a hash.
 *  @param {string} text */
export function averageColour(text) {
    const hash = decodeBase64(text.slice(0, 8));
    if (!hash || hash.length < 5) return null;
    const { l, p, q } = header(hash);
    return `rgb(${channels(l, p, q).map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255)).join(' ')})`;
}

/** Draws a hash into a small canvas that the page scales up; leaves it empty if the text is not a hash.
 *  @param {string} text @param {HTMLCanvasElement} canvas */
export function drawThumbhash(text, canvas) {
    const hash = decodeBase64(text);
    if (!hash || hash.length < 5) return;
    const head = header(hash);
    const cursor = { at: 0 };
    const light = factors(hash, head.start, cursor, head.width, head.height, head.lScale);
    const first = factors(hash, head.start, cursor, 3, 3, head.pScale * 1.25);
    const second = factors(hash, head.start, cursor, 3, 3, head.qScale * 1.25);
    const ratio = head.width / head.height;
    canvas.width = Math.max(1, Math.round(ratio > 1 ? 16 : 16 * ratio));
    canvas.height = Math.max(1, Math.round(ratio > 1 ? 16 / ratio : 16));
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const image = context.createImageData(canvas.width, canvas.height);
    /** @param {number} count @param {number} size @param {number} place */
    const waves = (count, size, place) =>
        Array.from({ length: count }, (_, index) => Math.cos((Math.PI / size) * (place + 0.5) * index));
    const columns = Array.from({ length: canvas.width }, (_, x) => waves(head.width, canvas.width, x));
    for (let y = 0; y < canvas.height; y += 1) {
        const row = waves(head.height, canvas.height, y);
        for (let x = 0; x < canvas.width; x += 1) {
            let [l, p, q, index] = [head.l, head.p, head.q, 0];
            for (let v = 0; v < head.height; v += 1) {
                for (let u = v ? 0 : 1; u * head.height < head.width * (head.height - v); u += 1) {
                    l += light[index++] * columns[x][u] * row[v] * 2;
                }
            }
            index = 0;
            for (let v = 0; v < 3; v += 1) {
                for (let u = v ? 0 : 1; u < 3 - v; u += 1, index += 1) {
                    const wave = columns[x][u] * row[v] * 2;
                    p += first[index] * wave;
                    q += second[index] * wave;
                }
            }
            const [red, green, blue] = channels(l, p, q);
            const place = (y * canvas.width + x) * 4;
            image.data[place] = red * 255;
            image.data[place + 1] = green * 255;
            image.data[place + 2] = blue * 255;
            image.data[place + 3] = 255;
        }
    }
    context.putImageData(image, 0, 0);
}

// QR codes (ISO/IEC 18004:2015): byte mode, error correction level M, the smallest version that fits.
// Why not a library: docs/decisions/0008-own-code-beside-libraries.md.

/** Level M, by version from 1: error correction codewords per block, and blocks. */
const correction = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];

/** The modules of a version that carry data or error correction.
 *  @param {number} version */
function dataModules(version) {
    const alignment = Math.floor(version / 7) + 2;
    const all = (16 * version + 128) * version + 64;
    return all - (version >= 2 ? (25 * alignment - 10) * alignment - 55 : 0) - (version >= 7 ? 36 : 0);
}

/** The QR code of a text as rows of modules, true for dark; throws if no version fits.
 *  @param {string} text */
export function qrModules(text) {
    const bytes = [...new TextEncoder().encode(text)];
    for (let version = 1; version <= correction.length; version += 1) {
        const codewords = Math.floor(dataModules(version) / 8);
        const capacity = codewords - correction[version - 1] * blockCounts[version - 1];
        const lengthBits = version < 10 ? 8 : 16;
        if (4 + lengthBits + 8 * bytes.length <= 8 * capacity) {
            return draw(version, interleave(version, codewords, data(bytes, lengthBits, capacity)));
        }
    }
    throw new RangeError('The text is too long for a QR code.');
}

/** The data codewords: mode, length, bytes, padding.
 *  @param {number[]} bytes @param {number} lengthBits @param {number} capacity */
function data(bytes, lengthBits, capacity) {
    /** @type {number[]} */
    const bits = [];
    /** @param {number} value @param {number} length */
    const append = (value, length) => {
        for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
    };
    append(0b0100, 4);
    append(bytes.length, lengthBits);
    for (const byte of bytes) append(byte, 8);
    append(0, Math.min(4, 8 * capacity - bits.length));
    append(0, -bits.length & 7);
    for (let filler = 0xEC; bits.length < 8 * capacity; filler ^= 0xEC ^ 0x11) append(filler, 8);
    return Array.from({ length: capacity }, (_, index) => bits.slice(8 * index, 8 * index + 8).reduce((value, bit) => value << 1 | bit, 0));
}

/** Multiplication in GF(256) (polynomial 0x11D).
 *  @param {number} left @param {number} right */
function product(left, right) {
    let value = 0;
    for (let bit = 7; bit >= 0; bit -= 1) value = (value << 1) ^ ((value >>> 7) * 0x11D) ^ (((right >>> bit) & 1) * left);
    return value;
}

/** The Reed-Solomon remainder for a number of codewords.
 *  @param {number[]} block @param {number} degree @returns {number[]} */
function remainder(block, degree) {
    const generator = [...Array(degree - 1).fill(0), 1];
    for (let step = 0, root = 1; step < degree; step += 1, root = product(root, 2)) {
        for (let place = 0; place < degree; place += 1) generator[place] = product(generator[place], root) ^ (generator[place + 1] ?? 0);
    }
    const rest = Array(degree).fill(0);
    for (const codeword of block) {
        const factor = codeword ^ rest.shift();
        rest.push(0);
        for (let place = 0; place < degree; place += 1) rest[place] ^= product(generator[place], factor);
    }
    return rest;
}

/** The interleaved codewords of all blocks.
 *  @param {number} version @param {number} codewords @param {number[]} all */
function interleave(version, codewords, all) {
    const [degree, count] = [correction[version - 1], blockCounts[version - 1]];
    const short = Math.floor(codewords / count) - degree;
    const shortCount = count - codewords % count;
    /** @type {{block: number[], rest: number[]}[]} */
    const blocks = [];
    for (let index = 0, start = 0; index < count; index += 1) {
        const length = short + (index < shortCount ? 0 : 1);
        const block = all.slice(start, start += length);
        blocks.push({ block, rest: remainder(block, degree) });
    }
    /** @type {number[]} */
    const order = [];
    for (let place = 0; place <= short; place += 1) for (const { block } of blocks) if (place < block.length) order.push(block[place]);
    for (let place = 0; place < degree; place += 1) for (const { rest } of blocks) order.push(rest[place]);
    return order;
}

/** @type {((x: number, y: number) => number)[]} */
const masks = [
    (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
    (x, y) => (x * y) % 2 + (x * y) % 3, (x, y) => ((x * y) % 2 + (x * y) % 3) % 2, (x, y) => ((x + y) % 2 + (x * y) % 3) % 2,
];

/** @param {number} version @param {number[]} codewords */
function draw(version, codewords) {
    const plain = new QRSymbol(version);
    plain.drawPatterns();
    plain.drawCodewords(codewords);
    const drawn = masks.map((_, mask) => plain.masked(mask));
    return drawn.reduce((best, one) => (one.penalty() < best.penalty() ? one : best)).rows;
}

class QRSymbol {
    /** @param {number} version */
    constructor(version) {
        this.version = version;
        /** The cached penalty score.
         *  @type {number | undefined} */
        this.cost = undefined;
        this.size = 4 * version + 17;
        this.rows = Array.from({ length: this.size }, () => Array(this.size).fill(false));
        this.fixed = Array.from({ length: this.size }, () => Array(this.size).fill(false));
    }

    /** @param {number} x @param {number} y @param {boolean | number} isDark */
    set(x, y, isDark) {
        this.rows[y][x] = Boolean(isDark);
        this.fixed[y][x] = true;
    }

    drawPatterns() {
        const { size } = this;
        for (let place = 0; place < size; place += 1) {
            this.set(6, place, place % 2 === 0);
            this.set(place, 6, place % 2 === 0);
        }
        for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) this.square(x, y, 4, (ring) => ring !== 2 && ring !== 4);
        const places = this.alignment();
        const last = places.length - 1;
        for (const [column, x] of places.entries()) {
            for (const [row, y] of places.entries()) {
                const isFinder = (column === 0 && (row === 0 || row === last)) || (column === last && row === 0);
                if (!isFinder) this.square(x, y, 2, (ring) => ring !== 1);
            }
        }
        this.drawFormat(0);
        if (this.version >= 7) this.drawVersion();
    }

    /** Draws a square around a module, clipped to the symbol.
     *  @param {number} x @param {number} y @param {number} reach @param {(ring: number) => boolean} isDark */
    square(x, y, reach, isDark) {
        for (let down = -reach; down <= reach; down += 1) {
            for (let right = -reach; right <= reach; right += 1) {
                const [column, row] = [x + right, y + down];
                if (column >= 0 && row >= 0 && column < this.size && row < this.size) this.set(column, row, isDark(Math.max(Math.abs(right), Math.abs(down))));
            }
        }
    }

    alignment() {
        if (this.version === 1) return [];
        const count = Math.floor(this.version / 7) + 2;
        const step = Math.ceil((4 * this.version + 4) / (2 * count - 2)) * 2;
        return [6, ...Array.from({ length: count - 1 }, (_, index) => this.size - 7 - step * (count - 2 - index))];
    }

    /** Draws both copies of the format information (BCH 15, 5).
     *  @param {number} mask */
    drawFormat(mask) {
        const value = 0b00 << 3 | mask;
        let rest = value;
        for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
        const bits = (value << 10 | rest) ^ 0x5412;
        /** @param {number} index */
        const bit = (index) => (bits >>> index) & 1;
        for (let index = 0; index < 6; index += 1) this.set(8, index, bit(index));
        this.set(8, 7, bit(6));
        this.set(8, 8, bit(7));
        this.set(7, 8, bit(8));
        for (let index = 9; index < 15; index += 1) this.set(14 - index, 8, bit(index));
        for (let index = 0; index < 8; index += 1) this.set(this.size - 1 - index, 8, bit(index));
        for (let index = 8; index < 15; index += 1) this.set(8, this.size - 15 + index, bit(index));
        this.set(8, this.size - 8, true);
    }

    /** Draws both copies of the version information (BCH 18, 6). */
    drawVersion() {
        let rest = this.version;
        for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1F25);
        const bits = this.version << 12 | rest;
        for (let index = 0; index < 18; index += 1) {
            const [far, near] = [this.size - 11 + index % 3, Math.floor(index / 3)];
            this.set(far, near, (bits >>> index) & 1);
            this.set(near, far, (bits >>> index) & 1);
        }
    }

    /** Places bits in column pairs, from the right, alternately up and down.
     *  @param {number[]} codewords */
    drawCodewords(codewords) {
        let index = 0;
        for (let right = this.size - 1; right >= 1; right -= 2) {
            if (right === 6) right = 5;
            for (let step = 0; step < this.size; step += 1) {
                const isUp = ((right + 1) & 2) === 0;
                const y = isUp ? this.size - 1 - step : step;
                for (const x of [right, right - 1]) {
                    if (this.fixed[y][x] || index >= 8 * codewords.length) continue;
                    this.rows[y][x] = Boolean((codewords[index >>> 3] >>> (7 - (index & 7))) & 1);
                    index += 1;
                }
            }
        }
    }

    /** @param {number} mask */
    masked(mask) {
        const made = new QRSymbol(this.version);
        made.fixed = this.fixed;
        made.rows = this.rows.map((row, y) => row.map((isDark, x) => (this.fixed[y][x] ? isDark : isDark !== (masks[mask](x, y) === 0))));
        made.drawFormat(mask);
        return made;
    }

    /** The penalty score (7.8.3): runs, squares, finder-like patterns, and the share of dark modules. */
    penalty() {
        this.cost ??= this.countPenalty();
        return this.cost;
    }

    countPenalty() {
        const { rows, size } = this;
        let cost = 0;
        const columns = rows.map((_, x) => rows.map((row) => row[x]));
        for (const line of [...rows, ...columns].map((one) => one.map(Number).join(''))) {
            for (const run of line.match(/0{5,}|1{5,}/g) ?? []) cost += run.length - 2;
            for (const finder of ['10111010000', '00001011101']) for (let at = line.indexOf(finder); at >= 0; at = line.indexOf(finder, at + 1)) cost += 40;
        }
        for (let y = 1; y < size; y += 1) {
            for (let x = 1; x < size; x += 1) {
                if (rows[y][x] === rows[y][x - 1] && rows[y][x] === rows[y - 1][x] && rows[y][x] === rows[y - 1][x - 1]) cost += 3;
            }
        }
        const dark = rows.flat().filter(Boolean).length;
        return cost + 10 * Math.floor(Math.abs(dark * 20 - size * size * 10) / (size * size));
    }
}

/** The QR code of a text as an image with its quiet zone, dark on light in either theme.
 *  @param {string} text @param {string} label */
export function qrPicture(text, label) {
    const rows = qrModules(text);
    const namespace = 'http://www.w3.org/2000/svg';
    const picture = document.createElementNS(namespace, 'svg');
    const size = rows.length + 8;
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, class: 'qr', role: 'img', 'aria-label': label, 'shape-rendering': 'crispEdges' })) picture.setAttribute(name, value);
    const path = document.createElementNS(namespace, 'path');
    path.setAttribute('d', rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : ''))).join(''));
    picture.append(path);
    return picture;
}

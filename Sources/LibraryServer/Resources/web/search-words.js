// Parses typed searches: a camera's name, and a day with a time, as in “gate yesterday 14:00”. Everything else, and
// everything in quotes, remains a text search.

/** Days from one to another, at their beginnings in UTC.
 *  @typedef {{from: number, until: number}} Days */

const locale = navigator.language;
/** @template Item @param {(locale: string) => Item[]} make */
const names = (make) => [...new Set(['en', locale])].flatMap((one) => make(one));
/** @type {('long' | 'short')[]} */
const forms = ['long', 'short'];
/** Numbers by words; `get` is only asked for a word that is there.
 *  @typedef {{has: (word: string) => boolean, get: (word: string) => number}} Numbers */
/** Numbers of months and weekdays by name, in English and in the reader's language. */
const months = /** @type {Numbers} */ (new Map(names((one) => Array.from({ length: 12 }, (_, month) => forms.map((form) =>
    /** @type {[string, number]} */ ([clean(new Intl.DateTimeFormat(one, { month: form, timeZone: 'UTC' }).format(Date.UTC(2026, month, 15))), month]))).flat())));
const weekdays = /** @type {Numbers} */ (new Map(names((one) => Array.from({ length: 7 }, (_, day) => forms.map((form) =>
    /** @type {[string, number]} */ ([clean(new Intl.DateTimeFormat(one, { weekday: form, timeZone: 'UTC' }).format(Date.UTC(2026, 10, 1 + day))), day]))).flat())));

/** @param {string} word */
function clean(word) { return word.toLowerCase().replace(/\.$/, ''); }

const dayLength = 86_400_000;
/** @param {number} time */
const dayText = (time) => new Date(time).toISOString().slice(0, 10);
/** @param {number} year @param {number} month @param {number} date */
const day = (year, month, date) => {
    const time = Date.UTC(year, month, date);
    return new Date(time).getUTCMonth() === month && date > 0 ? time : null;
};

/** A time or a range of times: with a colon, or with am or pm. */
const timePattern = /^(?=.*[:m])(\d{1,2})(?::(\d{2}))? ?([ap]m)?(?:[-–](\d{1,2})(?::(\d{2}))? ?([ap]m)?)?$/i;
/** A day in numbers; before the year, the reader's language decides whether the day or the month comes first. */
const datePattern = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})$/;
const order = new Intl.DateTimeFormat(locale).formatToParts().map((part) => part.type);
const isMonthFirst = order.indexOf('month') < order.indexOf('day');
/** @param {string | undefined} word */
const isYear = (word) => /^(19|20)\d\d$/.test(word ?? '');

/** Extracts camera, day and time from a search. `devices` have id and name; `now` is the reader's clock. Returns the
 *  recognised parts of the filter, and the rest as `text`.
 *  @param {string} text
 *  @param {{devices?: Named[], now?: Date}} options
 *  @returns {Record<string, string>} */
export function searchWords(text, { devices = [], now = new Date() } = {}) {
    // “2:30 pm” is one word.
    const words = text.match(/"[^"]*"?|\d{1,2}(:\d{2})?\s[ap]m(?!\S)|\S+/gi) ?? [];
    /** @type {Record<string, string>} */
    const filter = { text: '' };
    takeCamera(words, devices, filter);
    const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
    const span = takeDay(words, today);
    const time = takeTime(words);
    if (time) {
        const from = span && span.from === span.until ? span.from : span ? null : today;
        // A time needs a single day.
        if (from !== null) Object.assign(filter, { from: moment(from, time.from), until: moment(from, time.until) });
        else words.push(time.word);
    }
    if (span && !filter.from) Object.assign(filter, { from: dayText(span.from), until: dayText(span.until) });
    const rest = words.join(' ').trim();
    filter.text = rest;
    return filter;
}

/** Takes the longest camera name among the words, matching whole words.
 *  @param {string[]} words @param {Named[]} devices @param {Record<string, string>} filter */
function takeCamera(words, devices, filter) {
    /** @type {{id: string, parts: string[], at: number} | null} */
    let best = null;
    for (const { id, name } of devices) {
        const parts = name.toLowerCase().split(/\s+/).filter(Boolean);
        const at = words.findIndex((_, index) => parts.every((part, place) => words[index + place]?.toLowerCase() === part));
        if (parts.length > 0 && at >= 0 && parts.length > (best?.parts.length ?? 0)) best = { id, parts, at };
    }
    if (!best) return;
    words.splice(best.at, best.parts.length);
    filter.device = best.id;
}

/** Takes the first day or month named by the words.
 *  @param {string[]} words @param {number} today @returns {Days | null} */
function takeDay(words, today) {
    const hasTime = words.some((word) => timePattern.test(word));
    for (let index = 0; index < words.length; index += 1) {
        for (const count of [3, 2, 1]) {
            const span = spanOf(words.slice(index, index + count).map(clean), count, today, hasTime);
            if (!span) continue;
            words.splice(index, count);
            return span;
        }
    }
    return null;
}

/** @param {string[]} words @param {number} count @param {number} today @param {boolean} hasTime @returns {Days | null} */
function spanOf(words, count, today, hasTime) {
    if (words.length < count) return null;
    /** @param {number | null} time */
    const one = (time) => (time === null ? null : { from: time, until: time });
    const [first, second, third] = words;
    if (count === 1) {
        if (first === 'today') return one(today);
        if (first === 'yesterday') return one(today - dayLength);
        const iso = first.match(/^(\d{4})([./-])(\d{1,2})\2(\d{1,2})$/);
        if (iso) return one(day(Number(iso[1]), Number(iso[3]) - 1, Number(iso[4])));
        const dated = first.match(datePattern);
        if (dated) return one(dayOf(dated));
        if (isYear(first)) return { from: Date.UTC(Number(first), 0, 1), until: Date.UTC(Number(first), 11, 31) };
        // A short weekday such as “Sun” is a word, unless a time is given.
        if (!weekdays.has(first) || (first.length < 4 && !hasTime)) return null;
        // The latest such day, today included.
        return one(today - ((new Date(today).getUTCDay() - weekdays.get(first) + 7) % 7) * dayLength);
    }
    /** @param {string | undefined} word */
    const date = (word) => (/^\d{1,2}$/.test(word ?? '') ? Number(word) : null);
    if (count === 3) {
        if (!isYear(third)) return null;
        if (date(first) && months.has(second)) return one(day(Number(third), months.get(second), /** @type {number} */ (date(first))));
        return months.has(first) && date(second) ? one(day(Number(third), months.get(first), /** @type {number} */ (date(second)))) : null;
    }
    if (first === 'last' && second === 'week') return { from: today - 7 * dayLength, until: today };
    const [name, year] = isYear(first) ? [second, first] : [first, second];
    if (months.has(name) && isYear(year)) {
        return { from: /** @type {number} */ (day(Number(year), months.get(name), 1)), until: Date.UTC(Number(year), months.get(name) + 1, 0) };
    }
    const [month, number] = months.has(first) ? [first, date(second)] : [second, date(first)];
    if (!months.has(month) || !number) return null;
    // The latest such day.
    const thisYear = new Date(today).getUTCFullYear();
    const time = day(thisYear, months.get(month), number);
    return time !== null && time > today ? one(day(thisYear - 1, months.get(month), number)) : one(time);
}

/** The day of a date in numbers; the other order where there is no such day. Points separate the day from the month in
 *  every language.
 *  @param {string[]} match */
function dayOf([, first, separator, second, ending]) {
    const year = Number(ending) + (ending.length < 4 ? 2000 : 0);
    const [one, other] = [day(year, Number(second) - 1, Number(first)), day(year, Number(first) - 1, Number(second))];
    return isMonthFirst && separator !== '.' ? other ?? one : one ?? other;
}

/** Takes a time or a range of times, in minutes of the day; a single time means the hour that starts then.
 *  @param {string[]} words */
function takeTime(words) {
    const index = words.findIndex((word) => timePattern.test(word));
    if (index < 0) return null;
    const [, hour, minute, half, endHour, endMinute, endHalf] = /** @type {string[]} */ (words[index].match(timePattern));
    // “2-3pm” is in the afternoon.
    const from = minuteOf(hour, minute, half ?? endHalf);
    const until = endHour === undefined ? Math.min(from + 60, 1440) : minuteOf(endHour, endMinute, endHalf);
    if (!(from < until && from < 1440 && until <= 1440)) return null;
    const [word] = words.splice(index, 1);
    return { from, until, word };
}

/** A minute of the day; none for a time that no clock shows.
 *  @param {string} hour @param {string | undefined} minute @param {string | undefined} half */
function minuteOf(hour, minute = '0', half) {
    const isClock = Number(minute) < 60 && (!half || (Number(hour) > 0 && Number(hour) < 13));
    return isClock ? (half ? (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number(hour)) * 60 + Number(minute) : NaN;
}

/** A minute of a day in the address's format.
 *  @param {number} start @param {number} minutes */
const moment = (start, minutes) => new Date(start + minutes * 60_000).toISOString().slice(0, 16);

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

/** A word as it is compared: without case, accents, and points and commas at its end, and with one kind of apostrophe.
 *  @param {string} word */
const clean = (word) => word.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, '').replace(/[‘’ʼ]/g, "'").replace(/[.,;]+$/, '');

/** The name of a month or weekday, alone and within a date, where some languages inflect it.
 *  @param {string} one @param {'month' | 'weekday'} type @param {'long' | 'short'} form @param {number} time */
function namesOf(one, type, form, time) {
    const within = new Intl.DateTimeFormat(one, { [type]: form, day: 'numeric', calendar: 'gregory', timeZone: 'UTC' }).formatToParts(time);
    const alone = new Intl.DateTimeFormat(one, { [type]: form, calendar: 'gregory', timeZone: 'UTC' }).format(time);
    return [alone, ...within.filter((part) => part.type === type && /\D/.test(part.value)).map((part) => part.value)].map(clean);
}

/** Numbers by the names of the months or weekdays, in English and in the reader's language.
 *  @param {'month' | 'weekday'} type @param {('long' | 'short')[]} wanted @param {number[]} times
 *  @returns {[string, number][]} */
const numbered = (type, wanted, times) => names((one) => times.flatMap((time, number) => wanted.flatMap((form) =>
    namesOf(one, type, form, time).map((name) => /** @type {[string, number]} */ ([name, number])))));
const monthTimes = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 15));
const weekdayTimes = Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 10, 1 + day));
const months = /** @type {Numbers} */ (new Map(numbered('month', forms, monthTimes)));
const weekdays = /** @type {Numbers} */ (new Map(numbered('weekday', forms, weekdayTimes)));
/** Names that mean a month or a weekday without anything else. A short one such as “Sun” is also a word, and so are these two. */
const unmistakable = new Set([...numbered('month', ['long'], monthTimes), ...numbered('weekday', ['long'], weekdayTimes)].map(([name]) => name));
for (const word of ['march', 'may']) unmistakable.delete(word);
/** Today and yesterday. */
const nearDays = /** @type {Numbers} */ (new Map(names((one) => [0, -1].map((days) =>
    /** @type {[string, number]} */ ([clean(new Intl.RelativeTimeFormat(one, { numeric: 'auto' }).format(days, 'day')), days])))));

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
/** The same without the year. */
const shortDatePattern = /^(\d{1,2})\. ?(\d{1,2})\.$/;
const dateParts = new Intl.DateTimeFormat(locale).formatToParts();
const order = dateParts.map((part) => part.type);
const writesPoints = dateParts.some(({ type, value }) => type === 'literal' && value.includes('.'));
const isMonthFirst = order.indexOf('month') < order.indexOf('day');
/** @param {string | undefined} word */
const isYear = (word) => /^(19|20)\d\d$/.test(word ?? '');

/** A word without the comma after it.
 *  @param {string} word */
const bare = (word) => word.replace(/[,;]+$/, '');

/** Extracts camera, day and time from a search. `devices` have id and name; `now` is the reader's clock. Returns the
 *  recognised parts of the filter, and the rest as `text`.
 *  @param {string} text
 *  @param {{devices?: Named[], now?: Date}} options
 *  @returns {Record<string, string>} */
export function searchWords(text, { devices = [], now = new Date() } = {}) {
    // “2:30 pm” is one word. Commas separate the parts of a search.
    const words = (text.match(/"[^"]*"?|\d{1,2}(:\d{2})?\s[ap]m(?![^\s,;])|\S+/gi) ?? []).filter((word) => /[^,;]/.test(word));
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
    // Alone, a word of a camera's name may as well be a word of a caption.
    if (!filter.device && (span || time)) takePart(words, devices, filter);
    const rest = words.join(' ').trim();
    filter.text = filter.device || span || time ? rest.replace(/[,;]+$/, '') : rest;
    return filter;
}

/** Takes the longest camera name among the words, matching whole words.
 *  @param {string[]} words @param {Named[]} devices @param {Record<string, string>} filter */
function takeCamera(words, devices, filter) {
    /** @type {{id: string, parts: string[], at: number} | null} */
    let best = null;
    for (const { id, name } of devices) {
        const parts = name.split(/\s+/).map(clean).filter(Boolean);
        const at = words.findIndex((_, index) => parts.every((part, place) => clean(words[index + place] ?? '') === part));
        if (parts.length > 0 && at >= 0 && parts.length > (best?.parts.length ?? 0)) best = { id, parts, at };
    }
    if (!best) return;
    words.splice(best.at, best.parts.length);
    filter.device = best.id;
}

/** A camera's name, or words of it, between spaces: “Ana's phone” has the words Ana and phone.
 *  @param {string} text */
const spoken = (text) => ` ${clean(text).split(/[\s'_.-]+/).filter(Boolean).join(' ')} `;

/** Takes the most words that are part of one camera's name, and of no other's.
 *  @param {string[]} words @param {Named[]} devices @param {Record<string, string>} filter */
function takePart(words, devices, filter) {
    const named = devices.map(({ id, name }) => ({ id, name: spoken(name) }));
    const most = named.reduce((length, { name }) => Math.max(length, name.split(' ').length), 0);
    for (let count = Math.min(most, words.length); count > 0; count -= 1) {
        for (let at = 0; at + count <= words.length; at += 1) {
            const part = spoken(words.slice(at, at + count).map(bare).join(' '));
            // Of two letters, many names have a word.
            const found = part.length > 4 ? named.filter(({ name }) => name.includes(part)) : [];
            if (found.length !== 1) continue;
            words.splice(at, count);
            filter.device = found[0].id;
            return;
        }
    }
}

/** Takes the first day or month named by the words.
 *  @param {string[]} words @param {number} today @returns {Days | null} */
function takeDay(words, today) {
    const hasTime = words.some((word) => timePattern.test(bare(word)));
    for (let index = 0; index < words.length; index += 1) {
        for (const count of [3, 2, 1]) {
            const span = shortDate(words.slice(index, index + count), today) ?? spanOf(words.slice(index, index + count).map(clean), count, today, hasTime);
            if (!span) continue;
            words.splice(index, count);
            return span;
        }
    }
    return null;
}

/** The latest day of a month that is not to come; none if there is no such day.
 *  @param {number} month @param {number} date @param {number} today @returns {Days | null} */
function latestDay(month, date, today) {
    const year = new Date(today).getUTCFullYear();
    // A leap day is up to eight years ago.
    const time = Array.from({ length: 9 }, (_, ago) => day(year - ago, month, date)).find((one) => one !== null && one <= today) ?? null;
    return time === null ? null : { from: time, until: time };
}

/** The latest day of a date without its year, in a language that writes it with points, as in “27.11.” or “27. 11.”.
 *  @param {string[]} words @param {number} today */
function shortDate(words, today) {
    const [, first, second] = (writesPoints && words.map(bare).join(' ').match(shortDatePattern)) || [];
    if (!first || words.length > 2) return null;
    const [date, month] = isMonthFirst ? [second, first] : [first, second];
    return latestDay(Number(month) - 1, Number(date), today);
}

/** The latest month that is not to come; `before` leaves out the one that goes on.
 *  @param {number} month @param {number} today @returns {Days} */
function latestMonth(month, today, before = false) {
    const now = new Date(today);
    const year = now.getUTCFullYear() - (month > now.getUTCMonth() - Number(before) ? 1 : 0);
    return { from: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 0) };
}

/** @param {string[]} words @param {number} count @param {number} today @param {boolean} hasTime @returns {Days | null} */
function spanOf(words, count, today, hasTime) {
    if (words.length < count) return null;
    /** @param {number | null} time */
    const one = (time) => (time === null ? null : { from: time, until: time });
    const [first, second, third] = words;
    if (count === 1) {
        if (nearDays.has(first)) return one(today + nearDays.get(first) * dayLength);
        const iso = first.match(/^(\d{4})([./-])(\d{1,2})\2(\d{1,2})$/);
        if (iso) return one(day(Number(iso[1]), Number(iso[3]) - 1, Number(iso[4])));
        const dated = first.match(datePattern);
        if (dated) return one(dayOf(dated));
        if (isYear(first)) return { from: Date.UTC(Number(first), 0, 1), until: Date.UTC(Number(first), 11, 31) };
        if (months.has(first) && unmistakable.has(first)) return latestMonth(months.get(first), today);
        // The latest such day, today included.
        return weekdays.has(first) && (unmistakable.has(first) || hasTime) ? one(today - daysSince(weekdays.get(first), today) * dayLength) : null;
    }
    /** @param {string | undefined} word */
    const date = (word) => (/^\d{1,2}$/.test(word ?? '') ? Number(word) : null);
    if (count === 3) {
        if (!isYear(third)) return null;
        if (date(first) && months.has(second)) return one(day(Number(third), months.get(second), /** @type {number} */ (date(first))));
        return months.has(first) && date(second) ? one(day(Number(third), months.get(first), /** @type {number} */ (date(second)))) : null;
    }
    if (first === 'last') {
        if (second === 'week') return { from: today - 7 * dayLength, until: today };
        if (weekdays.has(second)) return one(today - (daysSince(weekdays.get(second), today) || 7) * dayLength);
        return months.has(second) ? latestMonth(months.get(second), today, true) : null;
    }
    const [name, year] = isYear(first) ? [second, first] : [first, second];
    if (months.has(name) && isYear(year)) {
        return { from: /** @type {number} */ (day(Number(year), months.get(name), 1)), until: Date.UTC(Number(year), months.get(name) + 1, 0) };
    }
    const [month, number] = months.has(first) ? [first, date(second)] : [second, date(first)];
    return months.has(month) && number ? latestDay(months.get(month), number, today) : null;
}

/** @param {number} weekday @param {number} today */
const daysSince = (weekday, today) => (new Date(today).getUTCDay() - weekday + 7) % 7;

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
    const index = words.findIndex((word) => timePattern.test(bare(word)));
    if (index < 0) return null;
    const [, hour, minute, half, endHour, endMinute, endHalf] = /** @type {string[]} */ (bare(words[index]).match(timePattern));
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

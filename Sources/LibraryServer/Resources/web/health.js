// The library's health: what it holds, whether its bytes are intact, a cluster's servers, and the pending work.

import { get, path, post, Problem } from './api.js';
import { AdminPage, age, mark, table } from './admin.js';
import { button, element, fill, icon } from './dom.js';
import { ago, bytes, count, counted } from './format.js';
import { notify, notifyProblem } from './notices.js';
import { go } from './route.js';

/** @type {Record<string, string>} */
const findings = {
    missingBytes: 'bytes are missing', wrongLength: 'the length is wrong', wrongDigest: 'the bytes are damaged',
    restoredBytes: 'restored from quarantine', forgottenRow: 'an unused entry without bytes: deleted', unreferencedBytes: 'no entry refers to these bytes', correctedLength: 'the entry had a wrong length: corrected', receiptDiffers: 'a receipt names other originals than the photo has', receiptWithoutAsset: 'a receipt names a photo that does not exist', foreignFile: 'not a file of the library', abandonedStaging: 'left over from an upload',
};

/** How often a busy queue and a cluster's servers are polled, in milliseconds. */
const refreshTime = 2000;
const serverTime = 10_000;

/** @param {number} value @param {string} name */
const noun = (value, name) => (value === 1 ? name : `${name}s`);

export class Health extends AdminPage {
    constructor() { super('Health'); }

    async fetch() {
        /** @type {[Statistics, JobPage | null]} */
        const [statistics, jobs] = await Promise.all([get('/v1/admin/library/statistics'), get('/v1/admin/jobs').catch(() => null)]);
        return () => this.build(statistics, jobs);
    }

    /** @param {Statistics} statistics @param {JobPage | null} jobs */
    build(statistics, jobs) {
        const result = element('div', { class: 'stack', role: 'status' });
        /** @param {boolean} hashes */
        const verify = (hashes) => button(hashes ? 'Compare every byte' : 'Check the files', { isQuiet: hashes, onClick: async (event) => {
            const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
            pressed.disabled = true;
            fill(result, element('p', { class: 'quiet' }, 'Comparing…'));
            try {
                fill(result, verification(await verified(hashes)));
            } catch (problem) {
                fill(result);
                notifyProblem(problem);
            }
            pressed.disabled = false;
        } });
        return [
            element('ul', { class: 'numbers' }, [
                [count(statistics.assets), 'photos and videos'], [bytes(statistics.contentBytes), counted(statistics.contents, 'file')],
                [count(statistics.trashed), 'in the trash'], [count(statistics.albums), noun(statistics.albums, 'album')],
                [count(statistics.devices), noun(statistics.devices, 'device')], [count(statistics.uploads), `${noun(statistics.uploads, 'upload')} in progress`],
                [count(statistics.quarantined), `${noun(statistics.quarantined, 'file')} in quarantine`],
            ].map(([value, name]) => element('li', {}, element('strong', {}, value), element('span', {}, name)))),
            statistics.missing > 0 && element('p', { class: 'banner bad', role: 'alert' }, icon('warning'),
                ` ${counted(statistics.missing, 'file')} lost or damaged. To ask the devices for them: `, element('code', {}, 'tintypectl library repair --hash')),
            room(statistics), this.servers(statistics),
            element('h2', {}, 'Integrity'),
            element('p', { class: 'quiet' }, 'Checking finds files that are missing or do not belong here; comparing every byte also finds damaged ones, and takes longer. ',
                'Nothing is changed; to move what is damaged to quarantine: ', element('code', {}, 'tintypectl library repair')),
            element('div', { class: 'actions start' }, verify(false), verify(true)), result,
            element('h2', {}, 'Backup'),
            element('p', {}, statistics.backupTime ? ['The last snapshot was taken ', age(statistics.backupTime), '.']
                : element('span', {}, 'No snapshot has been taken yet: ', element('code', {}, 'tintypectl library backup'))),
            element('h2', {}, 'Jobs'), this.jobs(jobs),
        ];
    }

    /** The queue, polled while it is not empty.
     *  @param {JobPage | null} answer */
    jobs(answer) {
        const list = this.jobList = element('div', { class: 'stack' });
        const refresh = async () => show(await get('/v1/admin/jobs'));
        /** @param {JobPage | null} now */
        const show = (now) => {
            // Another load has made another list.
            if (this.isClosed || list !== this.jobList) return;
            fill(list, jobList(now, refresh));
            clearTimeout(this.timer);
            if (now && now.counts.waiting > 0 && !now.isPaused) this.timer = setTimeout(() => refresh().catch(() => {}), refreshTime);
        };
        show(answer);
        return list;
    }

    /** A cluster's servers, polled while there are several.
     *  @param {Statistics} answer */
    servers(answer) {
        const list = this.serverList = element('div', { class: 'stack' });
        /** @param {{servers?: LibraryServer[]}} statistics */
        const show = ({ servers = [] }) => {
            if (this.isClosed || list !== this.serverList) return;
            fill(list, serverList(servers));
            clearTimeout(this.serverTimer);
            const again = () => get('/v1/admin/library/statistics').catch(() => ({ servers })).then(show);
            if (servers.length > 1) this.serverTimer = setTimeout(again, serverTime);
        };
        show(answer);
        return list;
    }

    close() {
        super.close();
        clearTimeout(this.timer);
        clearTimeout(this.serverTimer);
    }
}

/** @type {Record<string, [string, string]>} */
const rooms = { ample: ['enough space', 'good'], low: ['little space', 'bad'], full: ['no space', 'bad'] };

/** The originals' disk: used and free space, and what to do if little is left.
 *  @param {Statistics} statistics */
function room({ contentBytes, freeBytes, reservedBytes, room: state }) {
    if (freeBytes === undefined) return null;
    return [
        element('h2', {}, 'Disk'),
        state !== 'ample' && element('p', { class: 'banner bad', role: 'alert' }, icon('warning'), state === 'full'
            ? ' No space is left: uploads are refused. The devices keep their captures and send them later. '
            : ` Little space is left. Below ${bytes(reservedBytes)}, uploads are refused, and the devices keep their captures. `,
        'Free space on this disk; deleting expired trash and quarantine helps too: ', element('code', {}, 'tintypectl library gc')),
        element('p', { class: 'room' }, mark(.../** @type {[string, string?]} */ (rooms[state] ?? [state])), ` ${bytes(freeBytes)} free, the originals take ${bytes(contentBytes)}.`),
    ];
}

/** @type {Record<string, string>} */
const dutyNames = { library: 'the whole library', upkeep: 'hourly upkeep', sweep: 'daily sweep', maintenance: 'a task' };

/** The servers over the library's rows, and what is wrong with them; nothing if there is only one.
 *  @param {LibraryServer[]} servers */
function serverList(servers) {
    if (servers.length < 2) return null;
    const versions = new Set(servers.filter((one) => one.isAlive).map((one) => one.version));
    return [
        element('h2', {}, 'Servers'),
        versions.size > 1 && element('p', { class: 'banner' }, icon('warning'),
            ' The servers run different versions: finish the upgrade, one server after the other.'),
        table('Servers', ['Server', 'Version', 'Last sign of life', 'Clock', 'Duties'], servers.map((one) => [
            servers.some((other) => other.host === one.host && other.folder !== one.folder) ? `${one.host} ${one.folder}` : one.host,
            one.version, lastSign(one), clockText(one), (one.duties ?? []).map((duty) => dutyNames[duty] ?? duty).join(', '),
        ])),
    ];
}

/** The database's clock, which dates the sign, may be ahead of the reader's.
 *  @param {LibraryServer} server */
function lastSign({ seen, isAlive }) {
    const text = ago(new Date(Math.min(Date.parse(seen), Date.now())).toISOString());
    return isAlive ? text : element('span', {}, `${text} `, mark('silent', 'bad'));
}

/** A server's clock beside the database's, with the limits of `LibraryStatistics.Server`.
 *  @param {LibraryServer} server */
function clockText({ clockAheadMilliseconds: ahead }) {
    if (ahead === undefined) return 'not measured yet';
    if (Math.abs(ahead) <= 2000) return 'right';
    const text = `${counted(Math.round(Math.abs(ahead) / 1000), 'second')} ${ahead > 0 ? 'ahead' : 'behind'} `;
    return element('span', {}, text, Math.abs(ahead) > 10_000 ? mark('not ready', 'bad') : mark('synchronise it', 'waiting'));
}

/** Follows a verification, which the server continues if the page is left.
 *  @param {boolean} hashes @returns {Promise<VerificationReport>} */
async function verified(hashes) {
    /** @type {MaintenanceTask} */
    let task = await post('/v1/admin/library/tasks', { verify: { choice: { isHashing: hashes, isRepairing: false } } });
    while (task.state.running) {
        await new Promise((done) => { setTimeout(done, 500); });
        task = await get(`/v1/admin/library/tasks/${task.id}`);
    }
    if (task.state.verified) return task.state.verified.report;
    throw new Problem(task.state.failed?.problem ?? { title: 'The comparison was cancelled.' });
}

/** @param {VerificationReport} report */
function verification({ findings: found, checkedContents, checkedBytes }) {
    const scope = `${counted(checkedContents, 'file')}, ${bytes(checkedBytes)} compared.`;
    if (found.length === 0) return element('p', {}, icon('check'), mark('no problems', 'good'), ` ${scope}`);
    return [element('p', {}, `${counted(found.length, 'problem')} found. ${scope}`), table('Findings', ['What', 'Where', 'Quarantined'],
        found.map((one) => [findings[one.kind] ?? one.kind, [element('code', {}, one.object), ' ', photoLink(one.object)], one.isQuarantined ? 'yes' : 'no']))];
}

/** A button that opens the photo of an original or an asset; null for anything else.
 *  @param {string} text */
function photoLink(text) {
    const digest = text.match(/\b[0-9a-f]{64}\b/)?.[0];
    const asset = text.match(/^asset ([0-9a-f-]{36})/)?.[1];
    if (!digest && !asset) return null;
    return element('button', { type: 'button', class: 'link', aria: { label: `Show the photo of ${(/** @type {string} */ (digest ?? asset)).slice(0, 12)}` }, on: { click: async () => {
        try {
            const [first] = asset ? [asset] : (await get(path`/v1/admin/library/contents/${/** @type {string} */ (digest)}/assets`)).assets;
            if (first) go({ asset: first });
            else notify('No photo in the library has this file.');
        } catch (problem) {
            notifyProblem(problem);
        }
    } } }, 'Show the photo');
}

/** @type {Record<string, [string, string]>} */
const states = { waiting: ['waiting', 'waiting'], dead: ['failed', 'bad'], bad: ['failed: crashes its worker', 'bad'] };

/** As many attempts as `JobPolicy.maximumAttempts`: a job that failed earlier was refused by its decoder. */
const mostAttempts = 8;
/** Whether a retry would fail the same way.
 *  @param {Job} job */
const isRefused = ({ state, attempts }) => state === 'dead' && attempts < mostAttempts;

/** When a job is due.
 *  @param {string} time */
const when = (time) => (Date.parse(time) > Date.now() ? ago(time) : 'as soon as a worker is free');

/** Why a job failed: a sentence for people, followed by the decoder's own message.
 *  @param {string} reason */
function reasonText(reason) {
    const [sentence, ...words] = reason.split(': ');
    return words.length === 0 ? sentence : element('details', { class: 'reason' }, element('summary', {}, sentence), element('code', {}, words.join(': ')));
}

/** The queue of thumbnails and facts: failures, and retrying them.
 *  @param {JobPage | null} answer @param {() => Promise<void>} refresh */
function jobList(answer, refresh) {
    if (!answer) return element('p', { class: 'quiet' }, 'This server makes no thumbnails.');
    /** @type {(verb: string, label: string, text: (count: number) => string, name?: string) => Element} */
    const act = (verb, label, text, name = label) => button(label, { aria: { label: name }, onClick: async () => {
        try {
            const { count: number } = await post(`/v1/admin/jobs/${verb}`);
            notify(text(number));
            await refresh();
        } catch (problem) {
            notifyProblem(problem);
        }
    } });
    const total = Object.values(answer.counts).reduce((sum, number) => sum + number, 0);
    const isWaiting = answer.jobs.some((job) => job.state === 'waiting');
    const counts = Object.entries(answer.counts).filter(([, number]) => number > 0)
        .map(([state, number]) => mark(`${count(number)} ${(states[state] ?? [state])[0]}`, (states[state] ?? [])[1]));
    return [
        element('p', {}, total === 0 ? 'All thumbnails are made.' : counts, answer.isPaused && mark('paused: no new jobs are started', 'waiting')),
        element('div', { class: 'actions start' }, answer.isPaused ? act('resume', 'Resume', () => 'The queue was resumed.')
            : act('pause', 'Pause', () => 'No new jobs are started until you resume the queue.'),
        (answer.counts.dead ?? 0) > 0 && act('retry', 'Retry failed jobs', (number) => `${counted(number, 'job')} to be retried.`),
        act('rebuild', 'Make missing thumbnails', (number) => (number > 0 ? `${counted(number, 'thumbnail')} to be made.` : 'Nothing is missing.'))),
        answer.jobs.some(isRefused) && element('p', { class: 'quiet' },
            'A file that is damaged or in an unsupported format fails again each time: retry these after an update of the server.'),
        answer.jobs.length > 0 && table('Jobs', ['Job', 'State', 'Attempts', ...isWaiting ? ['Next'] : [], 'Reason', ''], answer.jobs.slice(0, 50).map((job) => [
            [element('span', { title: `job ${job.id}` }, 'Thumbnails of ', element('code', {}, job.digest.slice(0, 12))), ' ', photoLink(job.digest)],
            mark(.../** @type {[string, string?]} */ (states[job.state] ?? [job.state])), count(job.attempts),
            ...isWaiting ? [job.state === 'waiting' ? when(job.due) : ''] : [], reasonText(job.reason ?? ''),
            job.state !== 'waiting' && !isRefused(job) && act(`${job.id}/retry`, 'Retry', () => 'The thumbnails are made again.', `Retry: thumbnails of ${job.digest.slice(0, 12)}`),
        ])),
    ];
}

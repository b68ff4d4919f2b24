// What the page's modules share without saying it: the library's wire types (openapi.yaml has them whole), the model of its
// views, and what browsers have that this TypeScript's libraries do not name yet.

// MARK: The wire

interface AssetResource {
    id: string;
    type: number;
    contentType: string;
    byteCount: number;
    digest: string;
    originalFilename?: string | { hex: string };
}

interface Asset {
    id: string;
    mediaType: number;
    mediaSubtypes: number;
    playbackStyle: number;
    pixelSize?: { width: number; height: number };
    duration?: [number, number];
    captureTime: { wall: string; source: string; isSynchronized: boolean; utcOffsetSeconds?: number; monotonicNanoseconds?: number; bootID?: string };
    assumedUTCOffsetSeconds?: number;
    captureDateOverride?: string;
    captureFacts?: { trigger?: string; lagMicroseconds?: number; isLivePhotoIncomplete?: boolean; mask?: string };
    additionDate?: string;
    trashedAt?: string;
    deviceID?: string;
    title?: string;
    caption?: string;
    placeName?: string;
    location?: Coordinates;
    burst?: { id: string };
    thumbHash?: string;
    rating: number;
    isFavorite: boolean;
    isHidden: boolean;
    keywords: string[];
    albums: string[];
    resources: AssetResource[];
}

interface Coordinates {
    latitude: number;
    longitude: number;
}

/** An area between two meridians and two parallels. */
interface Box {
    west: number;
    south: number;
    east: number;
    north: number;
}

/** `reload` is the page's own: for what cannot succeed again without reloading the page. */
type Retry = 'now' | 'after' | 'onDecision' | 'never' | 'reload';

/** An error's details (RFC 9457). */
interface ProblemDetails {
    type?: string;
    title?: string;
    status?: number;
    detail?: string;
    retry?: Retry;
    code?: string;
}

type Filter = string | { captured: { from?: string; until?: string } } | { device: string } | { album: string } | { keyword: string }
    | { rating: number } | { text: string } | { inside: Box } | { all: Filter[] };

/** A span of local time, and how many assets it has. */
interface Span {
    from: string;
    until: string;
    count: number;
}

type Access = 'full' | 'limited';

interface TimelineAnswer {
    spans: Span[];
    kinds?: string[];
    access: Access;
    token: string;
}

interface AssetPage {
    assets: Asset[];
    next?: string;
}

interface Cluster {
    center: Coordinates;
    box: Box;
    count: number;
    assetID: string;
}

interface Album {
    id: string;
    title: string;
    coverAssetID?: string;
    order: string;
}

interface AlbumEntry {
    album: Album;
    assetCount: number;
}

interface AssetEdit {
    title?: string;
    caption?: string;
    rating?: number;
    isFavorite?: boolean;
    isHidden?: boolean;
    addedKeywords?: string[];
    removedKeywords?: string[];
    captureDateOverride?: string;
    location?: Coordinates;
    restores?: boolean;
}

/** An edit that lost against a concurrent one. */
interface SupersededEdit {
    edit: AssetEdit;
    time: string;
    deviceID?: string;
}

/** A change of the library, as its stream tells it. */
interface EntityChange {
    kind: 'inserted' | 'updated' | 'removed';
    /** With both, an asset's place in an album. */
    entity: { asset?: string; album?: string };
    asset?: Asset;
    album?: Album;
}

interface CameraFacts {
    make?: string;
    model?: string;
    lens?: string;
    exposureSeconds?: number;
    fNumber?: number;
    isoSpeed?: number;
    exposureCompensation?: number;
    focalLengthMillimeters?: number;
    focalLengthIn35mm?: number;
    isFlashFired?: boolean;
    software?: string;
}

interface ArchiveWish {
    assets: string[];
    form: string;
    strip: string[];
}

interface Archive {
    id: string;
    fileCount: number;
    preparedCount: number;
    byteCount?: number;
    leftOut: { asset: string; name: string; reason: string }[];
}

interface Authorization {
    addOnly: string;
    readWrite: string;
    restrictedBy?: string;
    selection?: { count: number; rules: number };
    next: string;
}

interface DeviceStatus {
    queuedAssets: number;
    queuedBytes: number;
    deadLetters: number;
    holds?: Record<string, number>;
}

/** The consent for one camera or microphone of a box. */
interface Consent {
    capability: string;
    device: string;
    status: string;
}

interface Device {
    id: string;
    name: string;
    build: string;
    state: string;
    isRefused?: boolean;
    keyFingerprint: string;
    verificationCode?: string;
    certificateExpires?: string;
    address?: string;
    firstSeen: string;
    lastSeen?: string;
    status?: DeviceStatus;
    drain?: { isAnnounced: boolean; remainingCount: number; isEnded: boolean };
    usage?: { add?: string; readWrite?: string };
    lookAlikes: string[];
    authorization: Authorization;
    consents?: Consent[];
    consentWithdrawals?: Omit<Consent, 'status'>[];
    tags?: string[];
    album?: string;
    changedBy: string;
    changedAt: string;
    reason: string;
}

/** The four answers to a device. */
type Answer = 'add-only' | 'selected' | 'none' | 'all';

interface AccessRequest {
    deviceID: string;
    deviceName: string;
    keyFingerprint: string;
    verificationCode?: string;
    level: string;
    usage: string;
    address?: string;
    openedAt: string;
    expiresAt?: string;
}

/** A device's request to see more. */
interface Expansion {
    id: string;
    deviceID: string;
    deviceName: string;
    reason: string;
    address?: string;
    openedAt: string;
    expiresAt: string;
}

interface AccessRequests {
    requests: AccessRequest[];
    expansions?: Expansion[];
}

/** What a device with limited access sees. */
interface DeviceSelection {
    assets: string[];
    rules: Filter[];
    grantedAlbums: string[];
}

interface EnrollmentToken {
    id: string;
    maximum: string;
    uses: number;
    usesLeft: number;
    expires: string;
    createdBy: string;
    tags?: string[];
}

interface AuditEntry {
    sequence: number;
    time: string;
    content: { event: string; actor: string; device?: string; old?: string; new?: string; reason?: string };
}

interface LibraryServer {
    host: string;
    folder: string;
    version: string;
    seen: string;
    isAlive: boolean;
    clockAheadMilliseconds?: number;
    duties?: string[];
}

type Statistics = Counts & Room;

interface Counts {
    assets: number;
    trashed: number;
    albums: number;
    contents: number;
    contentBytes: number;
    missing: number;
    uploads: number;
    quarantined: number;
    devices: number;
    backupTime?: string;
    servers?: LibraryServer[];
}

/** The room on the originals' disk, if that is known. */
type Room = { freeBytes: number; reservedBytes: number; room: string } | { freeBytes?: undefined; reservedBytes?: undefined; room?: undefined };

interface VerificationReport {
    findings: { kind: string; object: string; isQuarantined: boolean }[];
    checkedContents: number;
    checkedBytes: number;
}

interface MaintenanceTask {
    id: string;
    state: { running?: object; verified?: { report: VerificationReport }; failed?: { problem: ProblemDetails } };
}

interface Job {
    id: number;
    digest: string;
    state: string;
    attempts: number;
    due: string;
    reason?: string;
}

interface JobPage {
    jobs: Job[];
    isPaused: boolean;
    counts: Record<string, number>;
}

interface WebSession {
    id: string;
    name: string;
    address?: string;
    created: string;
    expires: string;
    userAgent?: string;
}

interface PickerSession {
    id: string;
    caller: string;
    deviceID?: string;
    code: string;
    request: {
        purpose: string; selectionLimit?: number; isOrdered?: boolean; isContinuous?: boolean; encoding?: string; strip?: string[];
        disabledCapabilities?: string[];
    };
    strip: string[];
    encoding: string;
    revision?: number;
    state: 'open' | 'done' | 'cancelled' | 'ended';
    picked: string[];
    expires: string;
}

// MARK: The views

interface Named {
    id: string;
    name: string;
}

/** Devices and albums to choose from. */
interface Lists {
    devices: Named[];
    albums: Named[];
}

/** `onChange` gets the whole new filter. `findKinds` fetches a timeline with the kinds in the list: the type menu offers no others. */
interface FilterOptions {
    lists?: Partial<Lists>;
    onChange: (filter: Record<string, string>) => void;
    findKinds?: () => Promise<{ kinds?: string[] }>;
    fixed?: string[];
}

/** Where somebody is, as the address says it. */
interface Place {
    view: string;
    id: string | null;
    asset: string | null;
    filter: Record<string, string>;
}

/** The server's error, or one of the page's own. */
type Failure = Error & { code?: string; status?: number; retry?: Retry; isOffline?: boolean; isLoggedOut?: boolean };

/** How a gallery was left: what it had loaded, and what was in view. */
interface Kept {
    sections: Section[];
    anchor: import('../../Sources/LibraryServer/Resources/web/grid-geometry.js').Anchor | null;
}

/** A view of the page. */
interface View {
    readonly root: Element;
    start(): Promise<unknown>;
    close(): Kept | undefined | void;
    /** Loads its content again. */
    load?(): unknown;
    /** Follows a change of the library. */
    follow?(change: EntityChange): void;
    /** Follows a step of the history; returns whether it could. */
    follows?(place: Place): boolean;
    setLists?(lists: Lists): void;
    /** Follows the list of all devices. */
    showDevices?(devices: Device[]): void;
}

/** What somebody asked to change in many assets: fields, seconds to shift the dates by or a local time to set them to, an album. */
interface BulkChange {
    edit: AssetEdit;
    shift: number;
    date: string;
    album: Album | null;
}

/** A row of justified photos. */
interface Row {
    top: number;
    height: number;
    /** The index of its first photo. */
    start: number;
    widths: number[];
}

interface Layout {
    rows: Row[];
    height: number;
}

/** Makes a button for an act on the selected photos. The selection ends with the act if `ends`, unless `work` returns false. */
type MakeAct = (label: string, symbol: string, work: (chosen: Asset[], acts: typeof import('../../Sources/LibraryServer/Resources/web/acts.js')) => unknown,
    ends?: boolean) => HTMLButtonElement;

/** Where a photo is open; `step` returns its neighbour. */
interface ViewerContext {
    step(id: string | undefined, by: number): Promise<Asset | null>;
    edits: import('../../Sources/LibraryServer/Resources/web/edits.js').Edits;
    isTrash: boolean;
    deviceName?(id?: string): string | undefined;
    guard(work: () => unknown): unknown;
    onAlbum(assets: Asset[]): unknown;
    onMoment(moment: string): void;
    onShow(asset: Asset): void;
    onClose(id: string | undefined): void;
}

/** A part of a timeline. */
interface Section {
    id: string;
    month: string;
    unit: string;
    from: string;
    until: string;
    count: number;
    start: number;
    end: number;
    monthTitle: string | null;
    title: string | null;
    assets: Asset[] | null;
    status: 'empty' | 'loading' | 'ready' | 'failed';
    problem?: Failure;
    loading: Promise<void> | null;
    abort?: AbortController | null;
    isStale: boolean;
    /** The fresh month by which a part of a changed month is renewed. */
    outdated: Section | null;
    renewal?: Promise<void> | null;
    visit: number;
    /** Where an album's rest continues. */
    cursor?: string | null;
    layout: Layout | null;
    layoutID?: number;
    /** The height of its headings, once it is measured. */
    headings: number;
    height: number;
    top: number;
}

/** A section with its assets; a grid has measured it before anything in it is shown. */
interface LoadedSection extends Section {
    assets: Asset[];
    layout: Layout;
}

/** An asset's position in a timeline. */
interface Position {
    section: LoadedSection;
    index: number;
}

/** The events of a timeline. */
interface TimelineEvents {
    layout: Event;
    rearranged: Event;
    filled: CustomEvent<Section>;
    replaced: CustomEvent<Asset>;
    problem: CustomEvent<Failure>;
}

/** Registers a listener that a grid removes when it closes. */
type Listen = <Type extends keyof (ElementEvents & TimelineEvents)>(
    target: EventTarget, type: Type, listener: (event: (ElementEvents & TimelineEvents)[Type]) => unknown, options?: AddEventListenerOptions) => void;

/** Where a timeline gets its content. */
interface Source {
    spans(unit: string, from?: string, until?: string, signal?: AbortSignal): Promise<TimelineAnswer>;
    page(from: string, until: string, options: { cursor?: string | null; limit?: number; signal?: AbortSignal }): Promise<AssetPage>;
}

// MARK: Elements

type Attribute = string | number | boolean | null | undefined;

/** An event whose target is an element, or a certain one: what a listener of an element gets. */
type At<Kind, Target = Element> = Kind & { readonly target: Target }
    & (Kind extends { relatedTarget: unknown } ? { readonly relatedTarget: Element | null } : unknown);

/** What an element can contain; null, undefined and false are left out. */
type Child = Node | string | number | null | undefined | false;
type Children = Child | readonly Child[] | readonly (Child | readonly Child[])[] | readonly (Child | readonly (Child | readonly Child[])[])[];

type ElementEvents = { [Type in keyof HTMLElementEventMap]: At<HTMLElementEventMap[Type]> };

/** Listeners of an element. What only the element itself can fire has it as its target. */
type Listeners<Node> = {
    [Type in keyof HTMLElementEventMap]?: (event: At<HTMLElementEventMap[Type], Type extends 'change' | 'error' | 'load' | 'toggle' ? Node : Element>
        & { readonly currentTarget: Node }) => unknown;
};

/** What `element` in dom.js gives a new element. */
interface Properties<Node> {
    on?: Listeners<Node>;
    data?: Record<string, Attribute>;
    aria?: Record<string, Attribute>;
    [attribute: string]: Attribute | Record<string, Attribute> | Listeners<Node>;
}

// MARK: What browsers have

// Looking up null or undefined finds nothing.
interface Array<T> {
    includes(value: T | null | undefined): boolean;
    indexOf(value: T | null | undefined): number;
    filter(isThere: BooleanConstructor): Exclude<T, null | undefined | false | '' | 0>[];
    findLast(match: (value: T, index: number, all: T[]) => unknown): T | undefined;
    findLastIndex(match: (value: T, index: number, all: T[]) => unknown): number;
    toReversed(): T[];
    toSorted(order?: (left: T, right: T) => number): T[];
}

interface Set<T> {
    has(value: T | null | undefined): boolean;
}

interface Map<K, V> {
    get(key: K | null | undefined): V | undefined;
    has(key: K | null | undefined): boolean;
}

interface MapConstructor {
    groupBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value, index: number) => Key): Map<Key, Value[]>;
}

// What happens at an element has an element as its target.
interface HTMLElement {
    addEventListener<Type extends keyof HTMLElementEventMap>(
        type: Type, listener: (event: At<HTMLElementEventMap[Type]>) => unknown, options?: boolean | AddEventListenerOptions): void;
}

interface HTMLDivElement {
    addEventListener<Type extends keyof HTMLElementEventMap>(
        type: Type, listener: (event: At<HTMLElementEventMap[Type]>) => unknown, options?: boolean | AddEventListenerOptions): void;
}

interface HTMLDialogElement {
    addEventListener<Type extends keyof HTMLElementEventMap>(
        type: Type, listener: (event: At<HTMLElementEventMap[Type]>) => unknown, options?: boolean | AddEventListenerOptions): void;
}

// Without a timer or a frame there is nothing to cancel.
declare function clearTimeout(timer: ReturnType<typeof setTimeout> | null): void;
declare function cancelAnimationFrame(frame: number | undefined): void;

interface Document {
    /** Elements that the documents come with. */
    getElementById(id: 'badge' | 'choice' | 'content' | 'notices' | 'places' | 'top'): HTMLElement;
}

interface DOMStringMap {
    /** The asset of a tile, of a picture in a strip, or of a card. */
    id: string;
}

// An element of a page is HTML or SVG.
interface Element extends HTMLOrSVGElement, ElementCSSInlineStyle {
    textContent: string;
    setAttribute(name: string, value: string | number): void;
    checkVisibility(options?: object): boolean;
}

interface HTMLFormControlsCollection {
    /** Radio buttons of one name. */
    readonly [name: string]: any;
}

// What the page's modules share without saying it: the library's wire types (openapi.yaml has them whole), and what browsers
// have that this TypeScript's libraries do not name yet.

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
    location?: { latitude: number; longitude: number };
    burst?: { id: string };
    thumbHash?: string;
    rating: number;
    isFavorite: boolean;
    isHidden: boolean;
    keywords: string[];
    albums: string[];
    resources: AssetResource[];
}

interface Named {
    id: string;
    name: string;
}

/** Devices and albums to choose from. */
interface Lists {
    devices: Named[];
    albums: Named[];
}

/** Where somebody is, as the address says it. */
interface Place {
    view: string;
    id: string | null;
    asset: string | null;
    filter: Record<string, string>;
}

interface Array<T> {
    findLast(match: (value: T, index: number, all: T[]) => unknown): T | undefined;
    findLastIndex(match: (value: T, index: number, all: T[]) => unknown): number;
    toReversed(): T[];
    toSorted(order?: (left: T, right: T) => number): T[];
}

interface MapConstructor {
    groupBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value, index: number) => Key): Map<Key, Value[]>;
}

// An element of a page is HTML or SVG.
interface Element extends HTMLOrSVGElement, ElementCSSInlineStyle {
    checkVisibility(options?: object): boolean;
}

interface HTMLFormControlsCollection {
    /** Radio buttons of one name. */
    readonly [name: string]: any;
}

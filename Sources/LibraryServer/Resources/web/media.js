// The URLs of an asset's bytes: what is shown, played and downloaded.

import { path } from './api.js';

/** PhotoKit's numbers of resource types. */
const Resource = {
    photo: 1, video: 2, audio: 3, alternatePhoto: 4, fullSizePhoto: 5, fullSizeVideo: 6, adjustmentData: 7,
    pairedVideo: 9, fullSizePairedVideo: 10,
};

/** @type {Record<number, string>} */
const names = {
    1: 'Photo', 2: 'Video', 3: 'Sound', 4: 'Second photo', 5: 'Edited photo', 6: 'Edited video', 7: 'Edit',
    8: 'Photo before the edit', 9: 'Live Photo movie', 10: 'Edited Live Photo movie',
};

/** Raw formats: DNG, and each maker's own. The server tells them from other files in TIFF format. */
const isRaw = (/** @type {AssetResource} */ resource) => /^image\/x-/.test(resource.contentType) && !/x-(icon|ms-bmp|portable)/.test(resource.contentType);
const resourceName = (/** @type {AssetResource} */ resource) => {
    if (isRaw(resource) && [Resource.photo, Resource.alternatePhoto].includes(resource.type)) return resource.type === Resource.photo ? 'Raw photo' : 'RAW';
    return names[resource.type] ?? 'File';
};
export const isLive = (/** @type {Asset} */ asset) => asset.playbackStyle === 3;
export const isVideo = (/** @type {Asset} */ asset) => asset.mediaType === 2;
export const isSound = (/** @type {Asset} */ asset) => asset.mediaType === 3;
/** The mark of a still with raw samples beside a picture: RAW+JPEG, RAW+HEIC; null for all others. */
export function rawMark(/** @type {Asset} */ asset) {
    const forms = asset.resources.filter((resource) => [Resource.photo, Resource.alternatePhoto].includes(resource.type));
    const picture = forms.find((resource) => !isRaw(resource));
    return picture && forms.some(isRaw) ? `RAW+${picture.contentType.replace('image/', '').toUpperCase()}` : null;
}

const first = (/** @type {Asset} */ asset, /** @type {number[]} */ ...types) =>
    types.map((type) => asset.resources.find((resource) => resource.type === type)).find(Boolean);

/** The still to show: the edit if there is one. */
export const still = (/** @type {Asset} */ asset) => first(asset, Resource.fullSizePhoto, Resource.photo, Resource.alternatePhoto);
/** The movie to play: a Live Photo's, or the video itself. */
export const movie = (/** @type {Asset} */ asset) => (isLive(asset)
    ? first(asset, Resource.fullSizePairedVideo, Resource.pairedVideo)
    : first(asset, Resource.fullSizeVideo, Resource.video));
export const sound = (/** @type {Asset} */ asset) => first(asset, Resource.audio);

const base = (/** @type {{id: string}} */ asset) => path`/v1/assets/${asset.id}`;

/** The longer side, in pixels, of thumbnails on the map, in the grid, and in the viewer until the original is there. */
const sides = { tiny: 256, small: matchMedia('(min-width: 761px) and (min-resolution: 1.5dppx)').matches ? 1024 : 256, large: 1024 };
export const thumbnail = (/** @type {{id: string}} */ asset, /** @type {keyof typeof sides} */ size = 'small') => `${base(asset)}/thumbnail?size=${sides[size]}`;
export const bytesOf = (/** @type {Asset} */ asset, /** @type {AssetResource} */ resource) => `${base(asset)}${path`/resources/${resource.id}`}`;

/** Types that every browser shows; the server converts others. */
const shown = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']);

/** The full picture, in a form that browsers show. */
export function fullPicture(/** @type {Asset} */ asset) {
    const resource = still(asset);
    if (!resource) return thumbnail(asset, 'large');
    return shown.has(resource.contentType) ? bytesOf(asset, resource) : `${bytesOf(asset, resource)}?as=jpeg`;
}

/** Types from which the server can strip the location: of some only up to 128 MiB (`ServedFile.rewrittenByteCount`). */
const strippable = /^(image\/(jpeg|png|webp|gif|jxl|tiff|x-adobe-dng|hei[cf]|avif)|video\/(mp4|quicktime))$/;
const strippedWhole = /^image\/(jpeg|png|webp|gif|jxl|tiff|x-adobe-dng)$/;

/** A file's name as text; one that is not UTF-8 arrives as hexadecimal.
 *  @param {AssetResource['originalFilename']} name */
const fileName = (name) => (name && typeof name === 'object'
    ? new TextDecoder().decode(new Uint8Array((name.hex.match(/../g) ?? []).map((digits) => parseInt(digits, 16)))) : name);

/** The downloads of an asset: its files, and the forms that the server derives, also without location. */
export function downloads(/** @type {Asset} */ asset) {
    /** @type {{name: string, detail: string, byteCount?: number, href: string}[]} */
    const list = asset.resources.map((resource) => ({
        name: resourceName(resource),
        detail: fileName(resource.originalFilename) ?? resource.contentType,
        byteCount: resource.byteCount,
        href: bytesOf(asset, resource),
    }));
    const picture = still(asset);
    const form = (/** @type {string} */ name, /** @type {string} */ detail, /** @type {string} */ href) => list.push({ name, detail, href });
    // A picture with a placeholder was decoded, so it can be converted and rewritten.
    const canStrip = (/** @type {AssetResource | null | undefined} */ resource) => asset.thumbHash && resource
        && strippable.test(resource.contentType) && !(resource.byteCount > 2 ** 27 && strippedWhole.test(resource.contentType));
    const bare = isVideo(asset) ? movie(asset) : picture;
    if (bare && canStrip(bare)) form('Without location', 'the location is removed from the copy', `${bytesOf(asset, bare)}?strip=location`);
    if (picture && picture.contentType !== 'image/jpeg' && asset.thumbHash) {
        form('As JPEG', 'for programs that read only JPEG', `${bytesOf(asset, picture)}?as=jpeg`);
        form('As JPEG, without location', 'the location is removed from the copy', `${bytesOf(asset, picture)}?as=jpeg&strip=location`);
    }
    if (isLive(asset)) {
        form('Live Photo', 'both files in one archive', `${base(asset)}/live-photo.zip`);
        form('Motion Photo', 'one file, for Android', `${base(asset)}/motion-photo`);
        if (canStrip(first(asset, Resource.photo))) {
            form('Live Photo, without location', 'both files in one archive', `${base(asset)}/live-photo.zip?strip=location`);
            form('Motion Photo, without location', 'one file, for Android', `${base(asset)}/motion-photo?strip=location`);
        }
    }
    return list;
}

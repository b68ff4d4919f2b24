// The URLs of an asset's bytes: what is shown and played.

import { path } from './api.js';
import { isCropped } from './justified.js';

/** PhotoKit's numbers of resource types. */
export const Resource = {
    photo: 1, video: 2, audio: 3, alternatePhoto: 4, fullSizePhoto: 5, fullSizeVideo: 6, adjustmentData: 7,
    pairedVideo: 9, fullSizePairedVideo: 10,
};

/** Raw formats: DNG, and each maker's own. The server tells them from other files in TIFF format. */
export const isRaw = (/** @type {AssetResource} */ resource) => /^image\/x-/.test(resource.contentType) && !/x-(icon|ms-bmp|portable)/.test(resource.contentType);
export const isLive = (/** @type {Asset} */ asset) => asset.playbackStyle === 3;
export const isVideo = (/** @type {Asset} */ asset) => asset.mediaType === 2;
export const isSound = (/** @type {Asset} */ asset) => asset.mediaType === 3;
/** The mark of a still with raw samples beside a picture: RAW+JPEG, RAW+HEIC; null for all others. */
export function rawMark(/** @type {Asset} */ asset) {
    const forms = asset.resources.filter((resource) => [Resource.photo, Resource.alternatePhoto].includes(resource.type));
    const picture = forms.find((resource) => !isRaw(resource));
    return picture && forms.some(isRaw) ? `RAW+${picture.contentType.replace('image/', '').toUpperCase()}` : null;
}

export const first = (/** @type {Asset} */ asset, /** @type {number[]} */ ...types) =>
    types.map((type) => asset.resources.find((resource) => resource.type === type)).find(Boolean);

/** The still to show: the edit if there is one. */
export const still = (/** @type {Asset} */ asset) => first(asset, Resource.fullSizePhoto, Resource.photo, Resource.alternatePhoto);
/** The movie to play: a Live Photo's, or the video itself. */
export const movie = (/** @type {Asset} */ asset) => (isLive(asset)
    ? first(asset, Resource.fullSizePairedVideo, Resource.pairedVideo)
    : first(asset, Resource.fullSizeVideo, Resource.video));
export const sound = (/** @type {Asset} */ asset) => first(asset, Resource.audio);

export const assetPath = (/** @type {{id: string}} */ asset) => path`/v1/assets/${asset.id}`;

/** The longer side, in pixels, of thumbnails on the map, in the grid, and in the viewer until the original is there. */
const sides = { tiny: 256, small: matchMedia('(min-width: 761px) and (min-resolution: 1.5dppx)').matches ? 1024 : 256, large: 1024 };
export const thumbnail = (/** @type {Pick<Asset, 'id' | 'pixelSize'>} */ asset, /** @type {keyof typeof sides} */ size = isCropped(asset) ? 'large' : 'small') => `${assetPath(asset)}/thumbnail?size=${sides[size]}`;
export const bytesOf = (/** @type {Asset} */ asset, /** @type {AssetResource} */ resource) => `${assetPath(asset)}${path`/resources/${resource.id}`}`;

/** Types that every browser shows; the server converts others. */
const shown = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']);

/** The full picture, in a form that browsers show. */
export function fullPicture(/** @type {Asset} */ asset) {
    const resource = still(asset);
    if (!resource) return thumbnail(asset, 'large');
    return shown.has(resource.contentType) ? bytesOf(asset, resource) : `${bytesOf(asset, resource)}?as=jpeg`;
}

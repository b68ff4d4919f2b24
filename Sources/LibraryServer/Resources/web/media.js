// Which bytes of an asset are shown, played and saved, and where they are.

import { path } from './api.js';

/** PhotoKit's numbers of the parts that a resource can play. */
const Resource = {
    photo: 1, video: 2, audio: 3, alternatePhoto: 4, fullSizePhoto: 5, fullSizeVideo: 6, adjustmentData: 7,
    pairedVideo: 9, fullSizePairedVideo: 10,
};

const names = {
    1: 'Photo', 2: 'Video', 3: 'Sound', 4: 'Second photo', 5: 'Edited photo', 6: 'Edited video', 7: 'Edit',
    8: 'Photo before the edit', 9: 'Live Photo movie', 10: 'Edited Live Photo movie',
};

const resourceName = (resource) => (/dng|raw|tiff/.test(resource.contentType) && resource.type === Resource.alternatePhoto ? 'RAW' : names[resource.type] ?? 'File');
export const isLive = (asset) => asset.playbackStyle === 3;
export const isVideo = (asset) => asset.mediaType === 2;
/** A still with a second form of the same picture, such as RAW and JPEG. */
export const isRawPair = (asset) => asset.resources.some((resource) => resource.type === Resource.alternatePhoto);

const first = (asset, ...types) =>
    types.map((type) => asset.resources.find((resource) => resource.type === type)).find(Boolean);

/** The still that is shown: the edit where there is one. */
export const still = (asset) => first(asset, Resource.fullSizePhoto, Resource.photo, Resource.alternatePhoto);
/** The movie that is played: a Live Photo's or the video itself. */
export const movie = (asset) => (isLive(asset)
    ? first(asset, Resource.fullSizePairedVideo, Resource.pairedVideo)
    : first(asset, Resource.fullSizeVideo, Resource.video));

const base = (asset) => path`/v1/assets/${asset.id}`;

/** The longer side of a picture in the grid, and of one that fills a window until the original is there, in pixels. */
const sides = { small: matchMedia('(min-width: 761px) and (min-resolution: 1.5dppx)').matches ? 1024 : 256, large: 1024 };
export const thumbnail = (asset, size = 'small') => `${base(asset)}/thumbnail?size=${sides[size]}`;
export const bytesOf = (asset, resource) => `${base(asset)}${path`/resources/${resource.id}`}`;

/** Types that every browser shows; the others are converted by the server. */
const shown = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']);

/** The picture in full, in a form that a browser shows. */
export function fullPicture(asset) {
    const resource = still(asset);
    if (!resource) return thumbnail(asset, 'large');
    return shown.has(resource.contentType) ? bytesOf(asset, resource) : `${bytesOf(asset, resource)}?as=jpeg`;
}

/** What can be saved of an asset: its files, and the forms that the server makes of them. */
export function downloads(asset) {
    const list = asset.resources.map((resource) => ({
        name: resourceName(resource),
        detail: resource.originalFilename ?? resource.contentType,
        byteCount: resource.byteCount,
        href: bytesOf(asset, resource),
    }));
    const picture = still(asset);
    if (picture && picture.contentType !== 'image/jpeg') {
        list.push({ name: 'As JPEG', detail: 'for programs that know nothing newer', href: `${bytesOf(asset, picture)}?as=jpeg` });
    }
    if (picture) {
        list.push({ name: 'Without location', detail: 'the place is taken out of the copy', href: `${bytesOf(asset, picture)}?strip=location` });
    }
    if (isLive(asset)) {
        list.push({ name: 'Live Photo', detail: 'both files in one archive', href: `${base(asset)}/live-photo.zip` });
        list.push({ name: 'Motion Photo', detail: 'one file, for Android', href: `${base(asset)}/motion-photo` });
    }
    return list;
}

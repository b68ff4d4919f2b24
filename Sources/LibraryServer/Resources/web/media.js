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

/** What cameras write as raw pictures: DNG, and each maker's own. */
const isRaw = (resource) => /^image\/(x-.*|tiff)$/.test(resource.contentType) && !/x-(icon|ms-bmp|portable)/.test(resource.contentType);
const resourceName = (resource) => {
    if (isRaw(resource) && [Resource.photo, Resource.alternatePhoto].includes(resource.type)) return resource.type === Resource.photo ? 'Raw photo' : 'RAW';
    return names[resource.type] ?? 'File';
};
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
const sides = { tiny: 256, small: matchMedia('(min-width: 761px) and (min-resolution: 1.5dppx)').matches ? 1024 : 256, large: 1024 };
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

/** Types whose places the server can take out. */
const strippable = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/x-adobe-dng', 'image/dng', 'image/heic', 'image/heif', 'image/avif']);

/** What can be saved of an asset: its files, and the forms that the server makes of them, each also without the place. */
export function downloads(asset) {
    const list = asset.resources.map((resource) => ({
        name: resourceName(resource),
        detail: resource.originalFilename ?? resource.contentType,
        byteCount: resource.byteCount,
        href: bytesOf(asset, resource),
    }));
    const picture = still(asset);
    const form = (name, detail, href) => list.push({ name, detail, href });
    if (picture && strippable.has(picture.contentType)) {
        form('Without location', 'the place is taken out of the copy', `${bytesOf(asset, picture)}?strip=location`);
    }
    // A picture that has a thumbnail can be converted; of what nobody could decode there is no JPEG.
    if (picture && picture.contentType !== 'image/jpeg' && asset.thumbHash) {
        form('As JPEG', 'for programs that know nothing newer', `${bytesOf(asset, picture)}?as=jpeg`);
        form('As JPEG, without location', 'the place is taken out of the copy', `${bytesOf(asset, picture)}?as=jpeg&strip=location`);
    }
    if (isLive(asset)) {
        form('Live Photo', 'both files in one archive', `${base(asset)}/live-photo.zip`);
        form('Motion Photo', 'one file, for Android', `${base(asset)}/motion-photo`);
        if (strippable.has(first(asset, Resource.photo)?.contentType)) {
            form('Live Photo, without location', 'both files in one archive', `${base(asset)}/live-photo.zip?strip=location`);
            form('Motion Photo, without location', 'one file, for Android', `${base(asset)}/motion-photo?strip=location`);
        }
    }
    return list;
}

// What can be saved of an asset: its files, and the forms that the server derives.

import { Resource, assetPath, bytesOf, first, isLive, isRaw, isVideo, movie, still } from './media.js';

/** @type {Record<number, string>} */
const names = {
    1: 'Photo', 2: 'Video', 3: 'Sound', 4: 'Second photo', 5: 'Edited photo', 6: 'Edited video', 7: 'Edit',
    8: 'Photo before the edit', 9: 'Live Photo movie', 10: 'Edited Live Photo movie',
};

const resourceName = (/** @type {AssetResource} */ resource) => {
    if (isRaw(resource) && [Resource.photo, Resource.alternatePhoto].includes(resource.type)) return resource.type === Resource.photo ? 'Raw photo' : 'RAW';
    return names[resource.type] ?? 'File';
};

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
        form('Live Photo', 'both files in one archive', `${assetPath(asset)}/live-photo.zip`);
        form('Motion Photo', 'one file, for Android', `${assetPath(asset)}/motion-photo`);
        if (canStrip(first(asset, Resource.photo))) {
            form('Live Photo, without location', 'both files in one archive', `${assetPath(asset)}/live-photo.zip?strip=location`);
            form('Motion Photo, without location', 'one file, for Android', `${assetPath(asset)}/motion-photo?strip=location`);
        }
    }
    return list;
}

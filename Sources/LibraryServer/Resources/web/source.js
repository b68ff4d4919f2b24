// The timeline's source: lists of assets from the library.

import { get, query } from './api.js';
import { sectionLimit } from './timeline.js';
import { within } from './route.js';

/** The assets that match a filter tree; `isTrash` for the trash.
 *  @param {Filter | null} tree
 *  @param {{isTrash?: boolean, base?: string, headers?: Record<string, string>}} options
 *  @returns {Source} */
export function librarySource(tree, { isTrash = false, base = '/v1', headers } = {}) {
    const common = { trash: isTrash ? 'true' : null };
    return {
        spans: (unit, from, until, signal) => {
            const filter = from ? within(tree, from, until) : tree;
            return get(`${base}/timeline${query({ unit, filter: filter && JSON.stringify(filter), ...common })}`, { signal, headers });
        },
        page: (from, until, { cursor = null, limit = sectionLimit, signal }) => get(`${base}/assets${query({
            filter: JSON.stringify(within(tree, from, until)), limit, cursor, ...common,
        })}`, { signal, headers }),
    };
}

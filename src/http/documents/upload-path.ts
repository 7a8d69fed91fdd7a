/** Requests that are uploads: their body may be large, and may take its time. */

const uploadPath = /^\/api\/namespaces\/[^/]+\/documents$/;

export const isUpload = (method: string | undefined, path: string): boolean => method === 'POST' && uploadPath.test(path);

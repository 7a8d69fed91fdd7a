/** Global setup: builds the page before its tests. */
export { preparePage as default } from '../../src/http/page.ts';

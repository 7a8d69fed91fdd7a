/** Before tests that open the page. */
export { preparePage as default } from '../../src/http/page.ts';

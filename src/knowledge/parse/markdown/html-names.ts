/** Which names between `<` and `>` are HTML, and what an element is for a reader. Any other name is text: `<your-key>`, `Map<String>`. */
const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Nothing of these is shown, or nothing that is text. */
export const neverShown = names(
  'script style template noscript iframe object embed svg canvas select textarea datalist dialog audio video map math head title',
);
/** Their content is not markup: it ends at the closing tag, whatever stands before. */
export const rawContent = names('script style textarea title iframe noscript');
export const voidElements = names('area base br col embed hr img input link meta param source track wbr');
/** End tags that people leave out. */
export const optionalEnd = names('p li dt dd td th tr thead tbody tfoot option colgroup body html');
export const blockElements = names(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul caption legend menu colgroup',
);
const inlineElements = names(
  'a abbr acronym b bdi bdo big button cite code data del dfn em font i ins kbd label mark meter nobr output picture progress q rp rt ruby s samp small span strike strong sub sup time tt u var',
);

export const isHtmlName = (name: string): boolean => {
  const lower = name.toLowerCase();
  if (name !== lower && name !== name.toUpperCase()) return false;
  return blockElements.has(lower) || inlineElements.has(lower) || voidElements.has(lower) || neverShown.has(lower);
};

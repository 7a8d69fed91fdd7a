/**
 * Phrases by which pages ask for something instead of saying something, in the languages that help pages are most often written in.
 * They are compared with a whole label or a small box, never searched for in running text.
 */

/** Labels that can mean nothing but an action upon the page. */
export const toolText =
  /^(?:edit (?:this )?(?:page|article|doc)(?: (?:on|in) [\w ]{2,20})?|edit (?:on|in) [\w ]{2,20}|(?:improve|print|share|save|bookmark|download|copy|export)(?: this)? (?:page|article|link|post|url|(?:page )?as (?:pdf|markdown))|suggest (?:an? )?(?:edits?|changes?)|(?:report|raise|open|submit|file|create) (?:an? )?(?:\w+ )?(?:issue|bug)(?: .{0,30})?|view (?:(?:page|this page) )?(?:source|as markdown|on github|in github|raw)|open in (?:chatgpt|claude|cursor|github|stackblitz|codesandbox|playground)|ask (?:ai|chatgpt|claude)(?: .{0,30})?|copy (?:code|to clipboard|as markdown)|copied!?|permalink|back to (?:the )?top|(?:return )?to (?:the )?top|top ?[↑▲]|[↑▲] ?top|skip to .{2,40}|toggle (?:navigation|menu|sidebar|dark mode|theme|word wrap)|show (?:source|table of contents)|on this page|seite bearbeiten|nach oben|zum seitenanfang|zum inhalt(?: springen)?|modifier cette page|haut de page|aller au contenu|editar esta página|このページを編集|ページトップへ|トップへ戻る)[\s.!↗→⧉]*$/iu;
/** Labels that mean an action where they lead to no page. */
export const toolWord =
  /^(?:edit|copy|print|share|save|tweet|like|reply|follow(?: us| me)?|subscribe|dismiss|close|top|bearbeiten|drucken|teilen|imprimer|partager|compartir|imprimir|編集|印刷|シェア|コピー)[\s.!↗→⧉]*$/iu;
/** Where links lead that share or edit the page. */
export const toolAddress =
  /(?:twitter|x)\.com\/(?:intent|share)|facebook\.com\/(?:sharer|share|dialog)|linkedin\.com\/(?:shareArticle|sharing)|reddit\.com\/submit|pinterest\.[a-z]+\/pin\/create|news\.ycombinator\.com\/submitlink|t\.me\/share|wa\.me\/\?|api\.whatsapp\.com\/send|b\.hatena\.ne\.jp\/(?:add|entry)|line\.me\/R\/msg|^mailto:\?|(?:github|gitlab)\.com\/[^?#]+\/(?:edit|-\/edit)\/|bitbucket\.org\/[^?#]+\?mode=edit|chatgpt\.com\/\?|claude\.ai\/new\?|[?&]action=edit\b/i;

export const helpfulQuestion =
  /\b(?:was|is|did|does|were|are)\b.{0,30}\b(?:page|article|answer|section|content|document|post|guide|this|information|docs?)\b.{0,30}\b(?:help(?:ful|ed)?|useful|answer(?:ed)? your question|solve|clear)\b.{0,12}\?|\bdid (?:this|we) (?:answer|help)\b|\b(?:found this|people found|find this) (?:article |page )?(?:help|use)ful\b|\brate this (?:page|article|content)\b|\bhow (?:helpful|useful) (?:was|is)|war (?:dies(?:er|e)|die|der) .{0,30}(?:hilfreich|nützlich)|cet(?:te)? (?:article|page) .{0,20}(?:utile|aidé)|te (?:resultó|ha sido|fue) útil|役に(?:立ちましたか|立った)|参考になりましたか/iu;
export const consentWord =
  /\b(?:cookies?|consent|gdpr|privacy|tracking|datenschutz|einwilligung|confidentialité|privacidad)\b|クッキー|同意/i;
export const consentAnswer =
  /^(?:(?:i )?accept|allow|agree|got it|ok(?:ay)?|reject|decline|deny|refuse|manage|customi[sz]e|only necessary|necessary only|essential only|preferences|settings|cookie settings|alle akzeptieren|akzeptieren|zustimmen|ablehnen|einverstanden|verstanden|accepter|tout accepter|refuser|aceptar|rechazar|同意|許可|拒否)(?:\b|\s|$|する|します)/i;
export const otherVersion =
  /\byou(?:'|’| a)re (?:currently )?(?:viewing|reading|looking at|browsing)\b.{0,100}\b(?:documentation|docs|version|release|page|v\d)\b.{0,200}\b(?:latest|unreleased|no longer|outdated|older|newer|archived|stable|current)\b|\bthis is (?:the )?(?:unreleased |old |outdated |archived )?(?:documentation|docs)\b.{0,160}\b(?:latest|unreleased|no longer|outdated|older|archived|up-to-date)\b|\b(?:documentation|docs|page|version)\b.{0,80}\b(?:no longer (?:actively )?(?:maintained|supported|updated)|outdated|out of date)\b.{0,160}\b(?:latest|current|newer|up-to-date)\b/i;
export const contentsLabel =
  /^(?:(?:table of )?contents?|on this page|in this (?:article|page|section|guide|topic)|page contents|jump to(?: section)?|quick links|overview of this page|what'?s (?:on|in) this (?:page|article)|inhalt(?:sverzeichnis)?|auf dieser seite|in diesem artikel|sommaire|sur cette page|dans cet article|contenido|en esta página|目次|このページの内容|この記事の内容)\s*:?(?:\s*\[?(?:hide|show|ausblenden|非表示)\]?)?$/iu;
export const relatedLabel =
  /^(?:related(?: (?:articles?|posts?|stories|content|questions|products|links|pages|reading|resources|topics))?|(?:you (?:might|may) (?:also )?(?:like|enjoy|be interested in).{0,20})|you may also .{0,30}|more (?:articles|posts|stories|from .{1,40}|like this|to read)|recommended(?: (?:for you|articles|posts|reading|content))?|suggested (?:articles|posts)|popular (?:articles|posts)|recent(?:ly viewed)? (?:articles|posts)|recently viewed|read (?:next|more)|up next|keep reading|continue reading|people also (?:ask|viewed|read)|latest (?:articles|posts|news)|explore more|ähnliche (?:artikel|beiträge)|verwandte (?:artikel|beiträge|themen)|weitere (?:artikel|beiträge)|das könnte (?:sie|dich|ihnen) auch .{3,20}|articles? (?:liés|connexes|similaires|recommandés)|artículos relacionados|関連(?:記事|リンク|ページ|コンテンツ)|おすすめ(?:記事)?|人気記事)\s*:?$/iu;
export const shareLabel =
  /^(?:share|share (?:this|on|via).{0,20}|follow us.{0,20}|tags?|filed under|teilen|partager|compartir|シェア)\s*:?$/i;
/** Labels of links to the page before and after. */
export const turnLabel =
  /^[\s←→‹›«»<>]*(?:(?:previous|prev|next|zurück|weiter|vorherige[rs]?|nächste[rs]?|précédente?|suivante?|anterior|siguiente)(?![\p{L}-]|\s+steps?\b)|前(?:へ|の|ページ)|次(?:へ|の|ページ)|[←→‹›«»]\s*\S)/iu;

/**
 * Phrases by which pages ask for something instead of saying something, in the languages that help pages are most often written in.
 * They are compared with a whole label or a small box, never searched for in running text.
 */

/** Labels of links and buttons that act upon the page. */
export const toolText =
  /^(?:edit|edit (?:this )?(?:page|article|doc)?(?: (?:on|in) [\w ]{2,20})?|(?:improve|print|share|save|bookmark|download|copy|export)(?: this)? (?:page|article|link|post|url|(?:page )?as (?:pdf|markdown))|suggest (?:an? )?(?:edits?|changes?)|(?:report|raise|open|submit|file) (?:an? )?(?:issue|bug|problem)(?: .{0,30})?|view (?:(?:page|this page) )?(?:source|as markdown|on github|in github|raw)|open in (?:chatgpt|claude|cursor|github|stackblitz|codesandbox|playground)|ask (?:ai|chatgpt|claude)(?: .{0,30})?|copy(?: code| page| link| to clipboard| as markdown)?|copied!?|print|share|tweet|follow(?: us| me)?|like|reply|permalink|back to (?:the )?top|(?:return )?to (?:the )?top|top ?[↑▲]|[↑▲] ?top|skip to .{2,40}|toggle (?:navigation|menu|sidebar|dark mode|theme)|show (?:source|table of contents)|on this page|dismiss|close|seite bearbeiten|bearbeiten|drucken|teilen|nach oben|zum seitenanfang|zum inhalt(?: springen)?|imprimer|partager|modifier(?: cette page)?|haut de page|aller au contenu|compartir|imprimir|editar(?: esta página)?|このページを編集|編集|印刷|シェア|ページトップへ|トップへ戻る|コピー)[\s.!↗→⧉]*$/iu;
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
  /\b(?:you(?:'|’| a)re (?:viewing|reading|looking at|browsing)|this is (?:the )?(?:documentation|docs)|documentation for|these (?:docs|are the docs)|this (?:documentation|page|guide|version|article) (?:is |describes |applies )?(?:for|to|of)?)\b.{0,120}\b(?:version|v\d|latest|unreleased|no longer|outdated|older|newer|archived)/i;
export const contentsLabel =
  /^(?:(?:table of )?contents?|on this page|in this (?:article|page|section|guide|topic)|page contents|jump to(?: section)?|quick links|overview of this page|what'?s (?:on|in) this (?:page|article)|inhalt(?:sverzeichnis)?|auf dieser seite|in diesem artikel|sommaire|sur cette page|dans cet article|contenido|en esta página|目次|このページの内容|この記事の内容)\s*:?(?:\s*\[?(?:hide|show|ausblenden|非表示)\]?)?$/iu;
export const relatedLabel =
  /^(?:related(?: (?:articles?|posts?|stories|content|questions|products|links|pages|reading|resources|topics))?|(?:you (?:might|may) (?:also )?(?:like|enjoy|be interested in).{0,20})|you may also .{0,30}|more (?:articles|posts|stories|from .{1,40}|like this|to read)|recommended(?: (?:for you|articles|posts|reading|content))?|suggested (?:articles|posts)|popular (?:articles|posts)|recent(?:ly viewed)? (?:articles|posts)|recently viewed|read (?:next|more)|up next|keep reading|continue reading|people also (?:ask|viewed|read)|latest (?:articles|posts|news)|explore more|ähnliche (?:artikel|beiträge)|verwandte (?:artikel|beiträge|themen)|weitere (?:artikel|beiträge)|das könnte (?:sie|dich|ihnen) auch .{3,20}|articles? (?:liés|connexes|similaires|recommandés)|artículos relacionados|関連(?:記事|リンク|ページ|コンテンツ)|おすすめ(?:記事)?|人気記事)\s*:?$/iu;
export const shareLabel =
  /^(?:share|share (?:this|on|via).{0,20}|follow us.{0,20}|tags?|filed under|teilen|partager|compartir|シェア)\s*:?$/i;
/** Labels of links to the page before and after. */
export const turnLabel =
  /^[\s←→‹›«»<>]*(?:(?:previous|prev|next|zurück|weiter|vorherige[rs]?|nächste[rs]?|précédente?|suivante?|anterior|siguiente)(?![\p{L}-]|\s+steps?\b)|前(?:へ|の|ページ)|次(?:へ|の|ページ)|[←→‹›«»]\s*\S)/iu;

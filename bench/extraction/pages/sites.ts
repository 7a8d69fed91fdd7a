/** Pages of sites and wikis: WordPress, Shopify, Notion, Confluence, a wiki, old table layout, a blog, wide tables, pages in Japanese and German. */
import type { Page } from '../row.ts';

const wordpress: Page = {
  name: 'WordPress post',
  url: 'https://blog.pipit.example/2024/11/winter-tyres/',
  html: `<!DOCTYPE html><html lang="en-GB"><head><title>When to change to winter tyres - Pipit Garage</title><meta property="og:title" content="When to change to winter tyres - Pipit Garage" /><meta property="og:site_name" content="Pipit Garage" /><meta property="article:modified_time" content="2024-11-12T08:15:00+00:00" /><style>.screen-reader-text{clip:rect(1px,1px,1px,1px);position:absolute!important;height:1px;width:1px;overflow:hidden}</style></head>
<body class="post-template-default single single-post wp-embed-responsive has-sidebar"><div id="page" class="site"><a class="skip-link screen-reader-text" href="#content">Skip to content</a><header id="masthead" class="site-header"><p class="site-title"><a href="/" rel="home">Pipit Garage</a></p><nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu"><li class="menu-item"><a href="/prices/">Our prices</a></li></ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main"><article id="post-812" class="post-812 post type-post category-tyres"><header class="entry-header"><h1 class="entry-title">When to change to winter tyres</h1><div class="entry-meta"><span class="posted-on">Posted on <a href="/2024/11/winter-tyres/" rel="bookmark"><time class="entry-date published" datetime="2024-11-02">2 November 2024</time></a></span><span class="byline"> by <a class="url fn n" href="/author/una/">Una</a></span></div></header>
<div class="entry-content"><div id="toc_container" class="no_bullets"><p class="toc_title">Contents</p><ul class="toc_list"><li><a href="#The_seven_degrees">1 The seven degrees</a></li><li><a href="#Storage">2 Storage</a></li></ul></div><p class="has-drop-cap">Rubber hardens in the cold, and hard rubber slides.</p><div class="wp-block-image"><figure class="aligncenter"><img src="/t.jpg" alt="tyre.jpg"/><figcaption class="wp-element-caption">Tread of a winter tyre</figcaption></figure></div>
<h2 class="wp-block-heading"><span id="The_seven_degrees">The seven degrees</span></h2><p>Change when mornings stay below <mark>7&nbsp;°C</mark>.</p><blockquote class="wp-block-quote"><p>From October to Easter.</p><cite>An old rule</cite></blockquote><h2 class="wp-block-heading" id="h-storage">Storage</h2><ul class="wp-block-list"><li>Dark</li><li>Dry</li></ul><pre class="wp-block-code"><code>pressure = 2.5 bar
tread &gt; 4 mm</code></pre>
<div class="sharedaddy sd-sharing-enabled"><div class="robots-nocontent sd-block sd-social"><h3 class="sd-title">Share this:</h3><div class="sd-content"><ul><li class="share-facebook"><a rel="nofollow" href="https://blog.pipit.example/?share=facebook"><span>Facebook</span></a></li></ul></div></div></div><div id="jp-relatedposts" class="jp-relatedposts"><h3 class="jp-relatedposts-headline"><em>Related</em></h3><a href="/summer/">Summer tyres in May</a></div></div>
<footer class="entry-footer"><span class="cat-links">Posted in <a href="/category/tyres/" rel="category tag">Tyres</a></span><span class="tags-links">Tagged <a href="/tag/snow/" rel="tag">snow</a></span></footer></article>
<nav class="navigation post-navigation" aria-label="Posts"><h2 class="screen-reader-text">Post navigation</h2><div class="nav-links"><div class="nav-previous"><a href="/brakes/" rel="prev">Brakes that squeal</a></div></div></nav>
<div id="comments" class="comments-area"><h2 class="comments-title">2 thoughts on winter tyres</h2><ol class="comment-list"><li id="comment-1" class="comment"><article class="comment-body"><footer class="comment-meta"><b class="fn">Ned</b></footer><div class="comment-content"><p>I never change mine!</p></div><div class="reply"><a rel="nofollow" class="comment-reply-link" href="#r">Reply</a></div></article></li></ol><div id="respond" class="comment-respond"><h3 id="reply-title" class="comment-reply-title">Leave a Reply</h3><form id="commentform"><p class="comment-notes">Your email address will not be published.</p><textarea id="comment"></textarea></form></div></div></main></div>
<aside id="secondary" class="widget-area"><section id="search-2" class="widget widget_search"><form role="search"><label><span class="screen-reader-text">Search for:</span><input type="search"></label></form></section><section class="widget widget_recent_entries"><h2 class="widget-title">Recent Posts</h2><ul><li><a href="/oil/">Change the oil yourself</a></li></ul></section></aside></div><footer id="colophon" class="site-footer"><div class="site-info">Proudly powered by WordPress</div></footer></div></body></html>`,
  keep: [
    'When to change to winter tyres',
    'hard rubber slides',
    'Tread of a winter tyre',
    'The seven degrees',
    'Change when mornings stay below 7 °C',
    'From October to Easter',
    'An old rule',
    'Storage',
    'Dark',
    'Dry',
    'pressure = 2.5 bar',
    'tread > 4 mm',
  ],
  drop: [
    'Skip to content',
    'Our prices',
    'Contents',
    '2 Storage',
    'Share this',
    'Facebook',
    'Summer tyres in May',
    'Posted in',
    'Tagged',
    'Brakes that squeal',
    'thoughts on',
    'I never change mine',
    'Leave a Reply',
    'will not be published',
    'Recent Posts',
    'Change the oil',
    'Proudly powered',
    'tyre.jpg',
  ],
  keepMarkdown: ['# When to change to winter tyres\n', '## The seven degrees {#The_seven_degrees}', '## Storage {#h-storage}'],
};

const shopify: Page = {
  name: 'Shopify policy',
  url: 'https://shop.linnet.example/policies/refund-policy',
  html: `<!doctype html><html class="no-js" lang="en"><head><title>Refund policy &ndash; Linnet Candles</title><meta property="og:site_name" content="Linnet Candles"><meta property="og:title" content="Refund policy"><style>.no-js .js-only{display:none}.visually-hidden{position:absolute!important;overflow:hidden;width:1px;height:1px;margin:-1px;padding:0;border:0;clip:rect(0 0 0 0)}</style></head><body class="gradient"><a class="skip-to-content-link button visually-hidden" href="#MainContent">Skip to content</a><div id="shopify-section-announcement" class="shopify-section announcement-bar-section"><div class="announcement-bar" role="region"><p class="announcement-bar__message h5">Free shipping above $60</p></div></div>
<div class="shopify-section shopify-section-group-header-group section-header"><sticky-header class="header-wrapper"><header class="header"><details-modal class="header__search"><details><summary class="header__icon">Search</summary><div class="search-modal modal__content" role="dialog"><form action="/search"><input type="search" name="q"></form></div></details></details-modal><a href="/" class="header__heading-link">Linnet Candles</a><a href="/cart" class="header__icon" id="cart-icon-bubble"><span class="visually-hidden">Cart</span></a></header></sticky-header></div><div id="cart-notification" class="cart-notification focus-inset color-background-1" aria-modal="true" role="dialog"><h2>Item added to your cart</h2></div>
<main id="MainContent" class="content-for-layout focus-none" role="main"><div class="shopify-policy__container"><div class="shopify-policy__title"><h1>Refund policy</h1></div><div class="shopify-policy__body"><div class="rte"><p>We have a 45-day return policy, which means you have 45 days after receiving your item to request a return.</p><p>You can always contact us at <a href="mailto:hello@linnet.example">hello@linnet.example</a>.<br><br><strong>Damages and issues</strong><br>Please inspect your order upon reception.</p><p><strong>Exceptions / non-returnable items</strong><br>Custom candles, and candles that were lit.</p><p>For orders to the EU you may cancel within 14 days, for any reason.</p></div></div></div></main>
<div class="shopify-section footer-group"><footer class="footer"><div class="footer-block--newsletter"><h2 class="footer-block__heading">Subscribe to our emails</h2><form><input type="email"></form></div><ul class="policies list-unstyled"><li><small><a href="/policies/privacy-policy">Privacy policy</a></small></li></ul></footer></div><ul hidden><li id="a11y-refresh-page-message">Choosing a selection results in a full page refresh.</li></ul></body></html>`,
  keep: [
    'Refund policy',
    '45 days after receiving your item',
    'hello@linnet.example',
    'Damages and issues',
    'Please inspect your order',
    'Exceptions / non-returnable items',
    'candles that were lit',
    'cancel within 14 days',
  ],
  drop: [
    'Skip to content',
    'Free shipping above',
    'Item added to your cart',
    'Subscribe to our emails',
    'Privacy policy',
    'full page refresh',
    'Cart',
  ],
  keepMarkdown: ['# Refund policy\n', '**Damages and issues**\nPlease inspect'],
};

const notion: Page = {
  name: 'Notion page',
  url: 'https://team.wigeon.example/Expenses-0b1',
  html: `<!DOCTYPE html><html lang="en"><head><title>Expenses</title></head><body class="notion-body"><div id="notion-app"><div class="notion-app-inner"><div class="notion-topbar"><div class="notion-record-icon">💶</div><div role="button">Share</div><div role="button">Duplicate</div></div><main class="notion-frame"><div class="notion-scroller vertical"><div class="layout"><div class="layout-content"><div class="pseudoSelection"><h1 contenteditable="false">Expenses</h1></div></div><div class="layout-content"><div class="notion-page-content">
<div data-block-id="1" class="notion-selectable notion-text-block"><div spellcheck="true" data-content-editable-leaf="true">You get your money back with the next salary.</div></div><div data-block-id="2" class="notion-selectable notion-table_of_contents-block"><div><a href="#3">Travel</a></div><div><a href="#4">Meals</a></div></div>
<div data-block-id="3" class="notion-selectable notion-sub_header-block"><h3>Travel</h3></div><div data-block-id="31" class="notion-selectable notion-bulleted_list-block"><div style="display:flex"><div class="notion-list-item-box-left"><div class="pseudoBefore" style="--pseudoBefore--content:'•'"></div></div><div><div data-content-editable-leaf="true">Second class, booked a week before</div></div></div></div>
<div data-block-id="32" class="notion-selectable notion-toggle-block"><div style="display:flex"><div><div role="button" tabindex="0" aria-expanded="false" aria-describedby="t1" aria-label="Open"><svg></svg></div></div><div><div id="t1">Can I fly?</div><div>Above 800 km.</div></div></div></div>
<div data-block-id="33" class="notion-selectable notion-callout-block"><div role="note"><div class="notion-record-icon">💡</div><div><div>Keep the boarding pass.</div></div></div></div><div data-block-id="4" class="notion-selectable notion-sub_header-block"><h3>Meals</h3></div><div class="notion-selectable notion-to_do-block"><div><input type="checkbox" checked><div>Receipts above 10 EUR</div></div></div>
<div class="notion-selectable notion-table-block"><table><tbody><tr><td><div>Country</div></td><td><div>A day</div></td></tr><tr><td><div>Norway</div></td><td><div>68 EUR</div></td></tr></tbody></table></div><div class="notion-selectable notion-code-block"><div><div role="button">Copy</div><div>Plain Text</div></div><div class="line-numbers notion-code-block"><div data-content-editable-leaf="true" style="white-space:pre-wrap">expense new --amount 12</div></div></div></div></div></div></div></main></div></div></body></html>`,
  keep: [
    'Expenses',
    'money back with the next salary',
    'Travel',
    'Second class, booked a week before',
    'Can I fly?',
    'Above 800 km',
    'Keep the boarding pass',
    'Meals',
    'Receipts above 10 EUR',
    'Norway',
    '68 EUR',
    'expense new --amount 12',
  ],
  drop: ['Share', 'Duplicate', 'Copy'],
  keepMarkdown: ['# Expenses\n', '### Travel', '| Norway | 68 EUR |'],
};

const confluence: Page = {
  name: 'Confluence page',
  url: 'https://wiki.crake.example/display/OPS/On+call',
  html: `<!DOCTYPE html><html lang="en-US"><head><title>On call - Operations - Crake Wiki</title></head><body id="com-atlassian-confluence" class="theme-default aui-layout"><ul id="assistive-skip-links" class="assistive"><li><a href="#title-heading">Skip to content</a></li></ul><div id="page"><div id="full-height-container"><div id="header-precursor"></div><header id="header" role="banner"><nav class="aui-header aui-dropdown2-trigger-group"><h1 class="aui-header-logo"><a href="/"><span class="aui-header-logo-text">Crake Wiki</span></a></h1></nav></header><div class="ia-splitter"><div class="ia-splitter-left"><div class="acs-side-bar ia-scrollable-section"><h5 class="ia-secondary-header-title page-tree">Page tree</h5><ul><li><a href="/x">Runbooks</a></li></ul></div></div>
<div id="main" class="aui-page-panel"><div id="main-header"><div id="navigation" class="content-navigation view"><ul class="ajs-menu-bar"><li><a id="editPageLink" href="/edit">Edit</a></li><li><a id="watch">Watching</a></li></ul></div><h1 id="title-text" class="with-breadcrumbs"><a href="/display/OPS/On+call">On call</a></h1></div><div id="content" class="page view"><div class="page-metadata"><ul><li class="page-metadata-modification-info">Created by <span class="author">Ivo</span>, last modified on <a class="last-modified">Feb 03, 2025</a></li></ul></div>
<div id="main-content" class="wiki-content"><div class="toc-macro client-side-toc-macro"><ul><li><a href="#Oncall-Rota">Rota</a></li><li><a href="#Oncall-Escalate">Escalate</a></li></ul></div><h2 id="Oncall-Rota">Rota</h2><p>A week begins on Tuesday at 10:00.</p><div class="confluence-information-macro confluence-information-macro-warning"><p class="title">Phone</p><span class="aui-icon aui-icon-small"></span><div class="confluence-information-macro-body"><p>Keep it within reach, also at night.</p></div></div>
<div class="table-wrap"><table class="confluenceTable"><colgroup><col/></colgroup><tbody><tr><th class="confluenceTh">Week</th><th class="confluenceTh">First</th><th class="confluenceTh">Second</th></tr><tr><td class="confluenceTd" rowspan="2">7 and 8</td><td class="confluenceTd">Ivo</td><td class="confluenceTd">Ruth</td></tr><tr><td class="confluenceTd">Ruth</td><td class="confluenceTd">Sten</td></tr></tbody></table></div><h2 id="Oncall-Escalate">Escalate</h2><div id="expander-1" class="expand-container conf-macro output-block"><div id="expander-control-1" class="expand-control"><span class="expand-control-icon"><img class="expand-control-image" src="x.png"/></span><span class="expand-control-text">Who is the next level?</span></div><div id="expander-content-1" class="expand-content expand-hidden" style="display:none"><p>The head of operations, by phone only.</p></div></div>
<div class="code panel pdl conf-macro output-block"><div class="codeHeader panelHeader pdl"><b>page.sh</b></div><div class="codeContent panelContent pdl"><pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: bash; gutter: false; theme: Confluence">crake page --level 2
crake mute 30m</pre></div></div></div><div id="likes-and-labels-container"><div id="likes-section"><a href="" class="like-button">Like</a><span class="like-summary">Be the first to like this</span></div><div id="labels-section" class="pageSection group"><ul class="label-list"><li class="no-labels-message">No labels</li></ul></div></div><div id="comments-section" class="pageSection group"><h2>2 Comments</h2><div class="comment-threads"><div class="comment">I swapped with Sten</div></div></div></div></div></div><div id="footer" role="contentinfo"><section class="footer-body"><ul id="poweredby"><li>Powered by Atlassian Confluence 8.5</li></ul></section></div></div></div></body></html>`,
  keep: [
    'On call',
    'Rota',
    'A week begins on Tuesday',
    'Phone',
    'Keep it within reach',
    '7 and 8',
    'Escalate',
    'Who is the next level?',
    'The head of operations, by phone only',
    'page.sh',
    'crake page --level 2',
    'crake mute 30m',
  ],
  drop: [
    'Skip to content',
    'Crake Wiki',
    'Page tree',
    'Runbooks',
    'Watching',
    'Be the first to like',
    'No labels',
    'I swapped with Sten',
    'Powered by',
  ],
  keepMarkdown: ['# On call', '## Rota {#Oncall-Rota}', '| 7 and 8 | Ruth | Sten |', '```bash\ncrake page --level 2\ncrake mute 30m\n```'],
};

const mediawiki: Page = {
  name: 'MediaWiki article',
  url: 'https://wiki.sandpiper.example/wiki/Tide_gauge',
  html: `<!DOCTYPE html><html class="client-nojs" lang="en" dir="ltr"><head><title>Tide gauge - Sandpiper Wiki</title></head><body class="skin-vector-legacy mediawiki ltr sitedir-ltr ns-0"><div id="mw-page-base" class="noprint"></div><div id="content" class="mw-body" role="main"><a id="top"></a><div id="siteNotice"></div><h1 id="firstHeading" class="firstHeading mw-first-heading"><span class="mw-page-title-main">Tide gauge</span></h1><div id="bodyContent" class="vector-body"><div id="siteSub" class="noprint">From Sandpiper Wiki</div><div id="contentSub"></div><a class="mw-jump-link" href="#mw-head">Jump to navigation</a><a class="mw-jump-link" href="#searchInput">Jump to search</a>
<div id="mw-content-text" class="mw-body-content"><div class="mw-parser-output"><p>A <b>tide gauge</b> measures the height of the sea.<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">[1]</a></sup></p><table class="infobox"><caption>Gauge of Hook</caption><tbody><tr><th scope="row">Built</th><td>1887</td></tr><tr><th scope="row">Accuracy</th><td>1 cm</td></tr></tbody></table><div id="toc" class="toc" role="navigation"><input type="checkbox" role="button" id="toctogglecheckbox"/><div class="toctitle"><h2 id="mw-toc-heading">Contents</h2></div><ul><li class="toclevel-1"><a href="#History"><span class="tocnumber">1</span> <span class="toctext">History</span></a></li></ul></div>
<h2><span class="mw-headline" id="History">History</span><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="/w/index.php?title=Tide_gauge&amp;action=edit&amp;section=1">edit</a><span class="mw-editsection-bracket">]</span></span></h2><p>The first one hung on a chain at Hook. H<sub>2</sub>O rises by 10<sup>3</sup> mm.</p><div class="mw-heading mw-heading2"><h2 id="References">References</h2><span class="mw-editsection">[<a href="/w/index.php?action=edit">edit</a>]</span></div><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> <span class="reference-text">Sea levels of the north, 1902.</span></li></ol></div><div class="printfooter">Retrieved from "https://wiki.sandpiper.example/wiki/Tide_gauge"</div></div><div id="catlinks" class="catlinks"><div id="mw-normal-catlinks"><a href="/c">Categories</a>: <ul><li><a href="/i">Instruments of the coast</a></li></ul></div></div></div></div>
<div id="mw-navigation"><h2>Navigation menu</h2><nav id="p-personal" class="mw-portlet"><ul><li><a href="/l">Log in</a></li></ul></nav></div><footer id="footer" class="mw-footer" role="contentinfo"><ul><li>This page was last edited on 4 May 2024.</li></ul></footer></body></html>`,
  keep: [
    'Tide gauge',
    'measures the height of the sea',
    'Gauge of Hook',
    '1887',
    'Accuracy',
    '1 cm',
    'History',
    'hung on a chain at Hook',
    'References',
    'Sea levels of the north, 1902',
  ],
  drop: [
    'Jump to navigation',
    'Contents',
    '[edit]',
    'Retrieved from',
    'Instruments of the coast',
    'Navigation menu',
    'Log in',
    'last edited on',
    'From Sandpiper Wiki',
  ],
  keepMarkdown: ['# Tide gauge', '## History {#History}', '10³ mm', '| Built | 1887 |'],
};

const oldLayout: Page = {
  name: 'Old table layout',
  url: 'http://www.knotclub.example/rules.html',
  html: `<HTML><HEAD><TITLE>Club rules</TITLE></HEAD><BODY BGCOLOR="#FFFFFF" TEXT=#000000><TABLE WIDTH=760 BORDER=0 CELLPADDING=0><TR><TD COLSPAN=3 BGCOLOR=#003366><FONT COLOR=white SIZE=5>The Knot Club</FONT></TD></TR><TR><TD WIDTH=140 VALIGN=top BGCOLOR=#CCCCCC><A HREF="index.html">Home</A><BR><A HREF="meet.html">Meetings</A><BR><A HREF="photos.html">Photos of knots</A><BR><A HREF="links.html">Links</A></TD><TD VALIGN=top><H2>Rules of the club</H2><P>Members pay their fee by the end of March.<P>Ropes are brought by each member:<UL><LI>one of hemp<LI>one of <I>manila</I></UL><A NAME="guests"></A><H3>Guests</H3>Guests are welcome twice.<BR><BR>The third time they join or stay away.
<TABLE BORDER=1><TR><TH>Fee</TH><TH>Amount</TH></TR><TR><TD>Adults</TD><TD>12.50</TD></TR><TR><TD>Children</TD><TD>free</TD></TR></TABLE><P>1. Tie.<BR>2. Show.<BR>3. Untie.</TD><TD WIDTH=120 VALIGN=top><FONT SIZE=1><A HREF="http://ads.example"><IMG SRC="b.gif" ALT="Buy rope"></A><BR>Visitors: 00431</FONT></TD></TR><TR><TD COLSPAN=3 ALIGN=center><HR><FONT SIZE=1><A HREF="index.html">Home</A> | <A HREF="mail.html">Mail</A><BR>Best viewed at 800x600</FONT></TD></TR></TABLE></BODY></HTML>`,
  keep: [
    'Rules of the club',
    'Members pay their fee by the end of March',
    'one of hemp',
    'one of manila',
    'Guests',
    'Guests are welcome twice',
    'The third time they join',
    'Adults',
    '12.50',
    'Children',
    '2. Show',
    '3. Untie',
  ],
  drop: ['Meetings', 'Photos of knots', 'Buy rope'],
  keepMarkdown: ['## Rules of the club', '### Guests\n', '| Children | free |', '- one of hemp\n- one of *manila*'],
};

const wideTable: Page = {
  name: 'Wide tables with spans',
  url: 'https://www.harrier.example/tariffs',
  html: `<!doctype html><html lang="en"><head><title>Tariffs 2025</title></head><body><main><h1>Tariffs 2025</h1><p>All amounts in euros, without tax.</p><table><caption>Parcels by weight and zone</caption><thead><tr><th rowspan="2">Weight</th><th colspan="2">Inland</th><th colspan="2">Abroad</th></tr><tr><th>Standard</th><th>Express</th><th>Zone 1</th><th>Zone 2</th></tr></thead><tbody><tr><td rowspan="2">up to 2 kg</td><td>4.10</td><td>9.80</td><td>12.00</td><td>19.50</td></tr><tr><td colspan="2">insured: 6.00</td><td>14.00</td><td>21.00</td></tr><tr><th colspan="5">Bulky goods</th></tr><tr><td>up to 30 kg</td><td>11.20</td><td>25.00</td><td colspan="2">on request</td></tr></tbody></table>
<table><tr><th>Feature</th><th>Free</th><th>Pro</th></tr><tr><td>Tracking</td><td><svg aria-label="Included" role="img"><path d="M0"/></svg></td><td><img src="tick.png" alt="Included"></td></tr><tr><td>Pick-up</td><td><span class="icon-cross" aria-label="Not included"></span></td><td><ul><li>Mondays</li><li>Fridays</li></ul></td></tr><tr><td>Contact</td><td>a|b@harrier.example</td><td><table><tr><td>Phone</td><td>0800 1</td></tr></table></td></tr></table></main></body></html>`,
  keep: [
    'Tariffs 2025',
    'All amounts in euros',
    'Parcels by weight and zone',
    'Bulky goods',
    'on request',
    'Included',
    'Not included',
    'Mondays',
    'Fridays',
    '0800 1',
  ],
  drop: ['undefined', '<td', 'tick.png'],
  keepMarkdown: [
    '| Weight | Inland – Standard | Inland – Express | Abroad – Zone 1 | Abroad – Zone 2 |',
    '| up to 2 kg | 4.10 | 9.80 | 12.00 | 19.50 |',
    '| up to 2 kg | insured: 6.00 | insured: 6.00 | 14.00 | 21.00 |',
    '| up to 30 kg | 11.20 | 25.00 | on request | on request |',
    '| Tracking | Included | Included |',
  ],
};

const blog: Page = {
  name: 'Blog with comments',
  url: 'https://notes.dipper.example/posts/cold-frames',
  html: `<!doctype html><html lang="en"><head><title>Cold frames from old windows</title></head><body><header class="site-header"><a href="/">Notes of a gardener</a><a href="/archive">Archive</a><a href="/rss">RSS</a></header><div class="wrap"><article class="h-entry"><h1 class="p-name">Cold frames from old windows</h1><p class="meta">3 February 2025 · 4 min read</p><div class="e-content"><p>Old windows make good cold frames, <em>if the glass is whole</em>.</p><h2>What you need</h2><ul><li>two windows</li><li>four planks, 20 cm high</li></ul><aside class="pullquote"><p>Glass first, wood second.</p></aside><p>Slope it to the south<sup id="r1"><a href="#n1">1</a></sup>.</p><div class="promo-box newsletter"><h3>Letters from the greenhouse</h3><p>One letter each month, no spam.</p><form><input type="email" placeholder="Your mail"><button>Sign up</button></form></div><h2>Build it</h2><p>Screw the planks together and lay the windows on top.</p><section class="footnotes"><ol><li id="n1">Ten degrees are enough. <a href="#r1">↩︎</a></li></ol></section></div><div class="author-bio"><img src="me.jpg" alt="me"><p>Ada has grown leeks since 1998.</p></div><p class="share">Share: <a href="https://twitter.com/intent/tweet?url=x">Twitter</a> <a href="https://www.facebook.com/sharer/sharer.php?u=x">Facebook</a></p></article>
<section class="related"><h2>You may also like</h2><a class="card" href="/p1"><h3>Leeks in winter</h3><p>How to keep them white.</p></a><a class="card" href="/p2"><h3>Worms</h3><p>Why you want them.</p></a></section><section id="comments"><h2>Comments</h2><article class="comment"><p class="author">Bo</p><p>Mine blew away in a storm.</p></article><form action="/c"><textarea name="t"></textarea><button>Post comment</button></form></section></div><footer><p>© Ada</p></footer></body></html>`,
  keep: [
    'Cold frames from old windows',
    'if the glass is whole',
    'What you need',
    'four planks, 20 cm high',
    'Glass first, wood second',
    'Slope it to the south',
    'Build it',
    'Screw the planks together',
    'Ten degrees are enough',
  ],
  drop: [
    'Notes of a gardener',
    'Archive',
    'Letters from the greenhouse',
    'no spam',
    'Ada has grown leeks',
    'Twitter',
    'You may also like',
    'Leeks in winter',
    'Why you want them',
    'Mine blew away',
    'Post comment',
    '© Ada',
    '↩',
  ],
};

const japanese: Page = {
  name: 'Japanese help page',
  url: 'https://support.tsubame.example/ja/henkin',
  html: `<!DOCTYPE html><html lang="ja"><head><meta charset="utf-8"><title>返金について｜つばめ便サポート</title><meta property="og:title" content="返金について"></head><body><header class="l-header"><p class="l-header__logo"><a href="/">つばめ便</a></p><nav class="l-gnav"><ul><li><a href="/ryokin">料金を調べる</a></li></ul></nav></header><div class="c-breadcrumb"><a href="/">ホーム</a> &gt; <a href="/ja">よくある質問</a> &gt; 返金について</div><main class="l-main"><h1 class="c-title">返金について</h1><div class="c-toc"><p class="c-toc__title">目次</p><ol><li><a href="#kigen">返金の期限</a></li><li><a href="#houhou">返金の方法</a></li></ol></div><p>お支払いから30日以内で<br>あれば、全額を返金いたします。</p><h2 id="kigen">返金の期限</h2><p>期限は<strong>「お届け日」</strong>ではなく、
お支払いの日から数えます。</p><h2 id="houhou">返金の方法</h2><dl class="faq"><dt class="faq__q">カード払いの返金はいつですか？</dt><dd class="faq__a" style="display:none">翌月の末までにカード会社を通じて行います。</dd></dl><table><tr><th>方法</th><td>日数</td></tr><tr><th>銀行振込</th><td>5営業日</td></tr></table><div class="c-helpful"><p>このページは役に立ちましたか？</p><button>はい</button><button>いいえ</button></div><div class="c-related"><h3>関連記事</h3><ul><li><a href="/ja/cancel">キャンセルの手順</a></li></ul></div></main><footer class="l-footer"><small>© つばめ便株式会社</small></footer><div class="cookie-consent">当サイトではクッキーを使用しています。<button>同意する</button></div></body></html>`,
  keep: [
    '返金について',
    '全額を返金いたします',
    '返金の期限',
    '「お届け日」ではなく、お支払いの日から数えます',
    '返金の方法',
    'カード払いの返金はいつですか？',
    '翌月の末までにカード会社を通じて',
    '銀行振込',
    '5営業日',
  ],
  drop: ['料金を調べる', 'ホーム', '目次', '役に立ちましたか', 'キャンセルの手順', 'つばめ便株式会社', 'クッキーを使用'],
  keepMarkdown: ['## 返金の期限 {#kigen}', '**カード払いの返金はいつですか？**'],
};

const german: Page = {
  name: 'German policy page',
  url: 'https://www.zeisig-reisen.example/agb/umbuchung',
  html: `<!DOCTYPE html><html lang="de"><head><title>Umbuchung und Storno | Zeisig Reisen</title></head><body><div class="topbar">Hotline 030 123 — täglich 8–20 Uhr</div><div id="nav-main"><ul><li><a href="/ziele">Reiseziele</a></li><li><a href="/last">Restplätze</a></li></ul></div><div class="breadcrumb"><a href="/">Startseite</a> » <a href="/agb">Bedingungen</a></div><div class="content-wrapper"><div class="row"><div class="col-8"><h1>Umbuchung und Storno</h1><p>Bis 30 Tage vor der Abreise kostet eine Umbuchung 25&nbsp;Euro.</p><h3>Staffel der Gebühren</h3><table class="striped"><thead><tr><th>Tage vor Abreise</th><th>Gebühr</th></tr></thead><tbody><tr><td>60 bis 31</td><td>20&nbsp;%</td></tr><tr><td>weniger als 7</td><td>90&nbsp;%</td></tr></tbody></table><p>Wer krank wird, reicht das At&shy;test innerhalb von fünf Tagen ein.</p><p><a href="/formular" class="btn">Zum Formular</a></p><div class="feedback-box"><strong>War dieser Artikel hilfreich?</strong> <a href="#ja">Ja</a> <a href="#nein">Nein</a></div></div><div class="col-4"><div class="teaser"><h4>Unsere Empfehlungen</h4><a href="/kreta">Kreta im Mai</a><a href="/malta">Malta im Juni</a></div></div></div></div><div class="footer-links"><a href="/impressum">Impressum</a><a href="/datenschutz">Datenschutz</a></div><div id="cmpbox"><p>Wir und unsere Partner verwenden Cookies. Ihre Einwilligung gilt für diese Seite.</p><a role="button" class="cmpboxbtn">Alle akzeptieren</a><a role="button">Ablehnen</a></div></body></html>`,
  keep: [
    'Umbuchung und Storno',
    'kostet eine Umbuchung 25 Euro',
    'Staffel der Gebühren',
    '60 bis 31',
    'weniger als 7',
    '90 %',
    'reicht das Attest innerhalb von fünf Tagen ein',
  ],
  drop: [
    'Hotline 030',
    'Reiseziele',
    'Startseite',
    'War dieser Artikel',
    'Malta im Juni',
    'Impressum',
    'verwenden Cookies',
    'Alle akzeptieren',
  ],
};

export const pages: readonly Page[] = [wordpress, shopify, notion, confluence, mediawiki, oldLayout, wideTable, blog, japanese, german];

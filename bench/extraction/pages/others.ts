/** Pages written as their authors would write them, after the parser and without a look at it: what it does for sites it was not made for. */
import type { Page } from '../row.ts';

const government: Page = {
  name: 'Government service page',
  url: 'https://www.service.gov.example/register-a-boat',
  html: `<!DOCTYPE html><html lang="en" class="govuk-template"><head><title>Register a boat: Overview - GOV.EXAMPLE</title></head><body class="govuk-template__body js-enabled"><div id="global-cookie-message" class="gem-c-cookie-banner govuk-clearfix" data-module="cookie-banner" role="region" aria-label="Cookies on GOV.EXAMPLE"><div class="govuk-cookie-banner__message govuk-width-container"><h2 class="govuk-heading-m">Cookies on GOV.EXAMPLE</h2><p>We would like to set additional cookies to understand how you use the service.</p><button class="govuk-button">Accept additional cookies</button><button>Reject additional cookies</button><a href="/help/cookies">View cookies</a></div></div><a href="#content" class="govuk-skip-link">Skip to main content</a><header role="banner"><div class="gem-c-layout-super-navigation-header"><a href="/">GOV.EXAMPLE</a><button>Menu</button></div></header><div id="wrapper" class="govuk-width-container"><div class="govuk-breadcrumbs"><ol><li><a href="/">Home</a></li><li><a href="/sea">Sea and rivers</a></li></ol></div><main id="content" role="main" class="guide"><div class="govuk-grid-row"><div class="govuk-grid-column-two-thirds"><h1 class="gem-c-title__text govuk-heading-xl">Register a boat</h1><aside class="part-navigation-container" role="complementary"><nav role="navigation" aria-label="Pages in this guide"><h2 class="gem-c-contents-list__title">Contents</h2><ol><li aria-current="true">Overview</li><li><a href="/register-a-boat/fees">Fees</a></li></ol></nav></aside></div><div class="govuk-grid-column-two-thirds"><h1 class="part-title govuk-heading-l">Overview</h1><div class="gem-c-govspeak govuk-govspeak"><p>You must register a boat that is kept on inland water for more than 28 days.</p><div role="note" aria-label="Information" class="application-notice info-notice"><p>You do not need to register a canoe.</p></div><h2 id="how-long-it-takes">How long it takes</h2><p>It takes 10 working days. There is <a href="/appeal">a way to appeal</a>.</p><div class="call-to-action"><p><a href="https://register.example" role="button" class="govuk-button">Start now</a></p></div><details class="govuk-details"><summary class="govuk-details__summary"><span class="govuk-details__summary-text">Ways to pay</span></summary><div class="govuk-details__text">Card or cheque.</div></details><div class="address"><div class="adr"><p>Boat Registry<br>1 Quay Street<br>HULL HU1 1AA</p></div></div></div><nav class="gem-c-pagination" aria-label="Pagination"><ul><li><a href="/register-a-boat/fees" rel="next"><span>Next</span><span>Fees for boats</span></a></li></ul></nav><div class="gem-c-print-link"><button>Print this page</button></div></div></div></main><div class="gem-c-feedback"><h2>Is this page useful?</h2><button>Yes this page is useful</button><button>Report a problem with this page</button></div></div><footer class="gem-c-layout-footer" role="contentinfo"><p>All content is available under the Open Licence</p></footer></body></html>`,
  keep: [
    'Register a boat',
    'Overview',
    'for more than 28 days',
    'You do not need to register a canoe',
    'How long it takes',
    'It takes 10 working days',
    'Ways to pay',
    'Card or cheque',
    '1 Quay Street',
    'HULL HU1 1AA',
  ],
  drop: [
    'additional cookies',
    'Skip to main',
    'Sea and rivers',
    'Fees for boats',
    'Print this page',
    'Is this page useful',
    'Report a problem',
    'Open Licence',
  ],
};

const terms: Page = {
  name: 'Terms without a frame of their own',
  url: 'https://pay.bunting.example/legal/terms',
  html: `<html lang="en"><head><meta charset="utf-8"><title>Terms of Service</title></head><body><div class="top"><a href="/"><img src="logo.svg" alt="Bunting Pay"></a><div class="links"><a href="/pricing">Pricing</a><a href="/developers">Developers</a><a href="/signin">Sign in</a></div></div><div class="legal"><h1>Terms of Service</h1><p><i>Effective 1 June 2025</i></p><div class="clause"><div class="num">1.</div><div class="txt"><b>Who we are.</b> Bunting Pay Ltd moves money for its customers.</div></div><div class="clause"><div class="num">2.</div><div class="txt"><b>Fees.</b> We take 1.4&nbsp;% of each payment. We may change this with sixty days' notice.<ol type="a"><li>Refunded payments are not charged.</li><li>Disputes cost 15 EUR.<ol type="i"><li>The fee is returned if you win.</li></ol></li></ol></div></div><h3>3. Cookies and consent</h3><p>By using the website you accept that we set two cookies which are needed to sign in. We ask for your consent before we set others.</p><h3>4. Privacy</h3><p>See our <a href="privacy">privacy notice</a>.</p><table class="defs"><tr><td>"Payment"</td><td>money that is moved from a payer to you</td></tr><tr><td>"Payout"</td><td>money that is moved from us to your bank account</td></tr></table></div><div class="bottom"><span>© 2025 Bunting Pay Ltd</span> <a href="/terms">Terms</a> <a href="/privacy">Privacy</a> <a href="/jobs">Jobs</a></div></body></html>`,
  keep: [
    'Terms of Service',
    'Effective 1 June 2025',
    'Who we are.',
    'moves money for its customers',
    'We take 1.4 % of each payment',
    'Refunded payments are not charged',
    'Disputes cost 15 EUR',
    'The fee is returned if you win',
    'Cookies and consent',
    'two cookies which are needed to sign in',
    'before we set others',
    'privacy notice',
    '"Payout"',
    'from us to your bank account',
  ],
  drop: ['Pricing', 'Developers', '© 2025', 'Jobs'],
};

const elementor: Page = {
  name: 'Spanish accordion of a page builder',
  url: 'https://www.hotel-garza.example/preguntas/',
  html: `<!DOCTYPE html><html lang="es"><head><title>Preguntas frecuentes - Hotel Garza</title></head><body class="page elementor-default elementor-page"><div data-elementor-type="header" class="elementor elementor-12 elementor-location-header"><div class="elementor-section"><div class="elementor-widget-nav-menu"><nav class="elementor-nav-menu--main"><ul class="elementor-nav-menu"><li><a href="/habitaciones/">Habitaciones</a></li></ul></nav></div><div class="elementor-widget-button"><a class="elementor-button" href="/reservar/"><span class="elementor-button-text">Reservar ahora</span></a></div></div></div><div data-elementor-type="wp-page" class="elementor elementor-40"><section class="elementor-section elementor-top-section"><div class="elementor-container"><div class="elementor-column"><div class="elementor-widget-wrap"><div class="elementor-element elementor-widget elementor-widget-heading"><div class="elementor-widget-container"><h1 class="elementor-heading-title elementor-size-default">Preguntas frecuentes</h1></div></div><div class="elementor-element elementor-widget elementor-widget-accordion"><div class="elementor-widget-container"><div class="elementor-accordion"><div class="elementor-accordion-item"><div id="elementor-tab-title-1" class="elementor-tab-title" data-tab="1" role="button" aria-controls="elementor-tab-content-1" aria-expanded="false"><span class="elementor-accordion-icon" aria-hidden="true"><i class="fas fa-plus"></i></span><a class="elementor-accordion-title" tabindex="0">¿A qué hora es la entrada?</a></div><div id="elementor-tab-content-1" class="elementor-tab-content elementor-clearfix" data-tab="1" role="region" aria-labelledby="elementor-tab-title-1" style="display: none;"><p>A partir de las 15:00; antes guardamos las maletas.</p></div></div><div class="elementor-accordion-item"><div id="elementor-tab-title-2" class="elementor-tab-title" data-tab="2" role="button" aria-controls="elementor-tab-content-2" aria-expanded="false"><a class="elementor-accordion-title">¿Se admiten perros?</a></div><div id="elementor-tab-content-2" class="elementor-tab-content" role="region" style="display: none;"><p>Sí, por 12 € la noche. Gatos <strong>no</strong>.</p></div></div></div></div></div><div class="elementor-widget elementor-widget-text-editor"><p>Para todo lo demás, llame a recepción.</p></div></div></div></div></section></div><div data-elementor-type="footer" class="elementor elementor-location-footer"><p>© Hotel Garza, calle del Puerto 4</p><a href="/aviso-legal/">Aviso legal</a></div><div data-elementor-type="popup" class="elementor elementor-location-popup" style="display:none"><h2>¡Suscríbase!</h2></div><div id="cookie-law-info-bar"><span>Usamos cookies. <a role="button" id="cookie_action_close_header">Aceptar</a></span></div></body></html>`,
  keep: [
    'Preguntas frecuentes',
    '¿A qué hora es la entrada?',
    'A partir de las 15:00',
    '¿Se admiten perros?',
    'por 12 € la noche',
    'Gatos no',
    'llame a recepción',
  ],
  drop: ['Habitaciones', 'Reservar ahora', 'calle del Puerto', 'Aviso legal', 'Suscríbase', 'Usamos cookies', 'Aceptar'],
};

const webflow: Page = {
  name: 'Questions in drop-downs of a site builder',
  url: 'https://www.swift-movers.example/faq',
  html: `<!DOCTYPE html><html data-wf-page="1" lang="en"><head><title>FAQ</title></head><body><div data-collapse="medium" role="banner" class="navbar w-nav"><a href="/" class="brand w-nav-brand">Swift Movers</a><nav role="navigation" class="nav-menu w-nav-menu"><a href="/quote" class="nav-link w-nav-link">Get a quote</a></nav></div><section class="section hero"><div class="w-layout-blockcontainer container"><h1 class="heading-3">Frequently asked</h1><div class="text-block">Everything about moving day.</div></div></section><section class="section"><div class="faq-list"><div class="faq-item w-dropdown" data-hover="false"><div class="faq-toggle w-dropdown-toggle" id="w-dropdown-toggle-0" aria-controls="w-dropdown-list-0" aria-haspopup="menu" aria-expanded="false" role="button" tabindex="0"><div class="faq-icon w-icon-dropdown-toggle"></div><div class="faq-question">Do you pack for us?</div></div><nav class="faq-content w-dropdown-list" id="w-dropdown-list-0" aria-labelledby="w-dropdown-toggle-0"><p>Yes, two packers come the day before.</p></nav></div><div class="faq-item w-dropdown"><div class="faq-toggle w-dropdown-toggle" aria-controls="w-dropdown-list-1" aria-haspopup="menu" aria-expanded="false" role="button"><div class="faq-question">What about pianos?</div></div><nav class="faq-content w-dropdown-list" id="w-dropdown-list-1"><p>Uprights are fine. Grands need a crane.</p></nav></div></div></section><section class="footer"><div>Swift Movers Inc., est. 1981</div><a href="/careers" class="footer-link">Careers</a></section></body></html>`,
  keep: [
    'Frequently asked',
    'Everything about moving day',
    'Do you pack for us?',
    'two packers come the day before',
    'What about pianos?',
    'Grands need a crane',
  ],
  drop: ['Get a quote', 'est. 1981', 'Careers'],
};

const slate: Page = {
  name: 'API reference in three columns',
  url: 'https://api.shrike.example/docs',
  html: `<!doctype html><html><head><title>Shrike API Reference</title></head><body class="index" data-languages="[&quot;shell&quot;,&quot;python&quot;]"><a href="#" id="nav-button"><span>NAV <img src="navbar.png" alt=""></span></a><div class="toc-wrapper"><img src="logo.png" class="logo" alt=""><div class="lang-selector"><a href="#" data-language-name="shell">shell</a><a href="#" data-language-name="python">python</a></div><div class="search"><input type="text" class="search" id="input-search" placeholder="Search"></div><ul class="search-results"></ul><ul id="toc" class="toc-list-h1"><li><a href="#introduction" class="toc-h1 toc-link">Introduction</a></li><li><a href="#kittens" class="toc-h1 toc-link">Kittens</a></li></ul><ul class="toc-footer"><li><a href="https://github.com/slate">Documentation Powered by Slate</a></li></ul></div><div class="page-wrapper"><div class="dark-box"></div><div class="content"><h1 id='introduction'>Introduction</h1><p>Welcome. Keys go into the header <code>X-Shrike</code>.</p><h1 id='kittens'>Kittens</h1><h2 id='get-all-kittens'>Get All Kittens</h2><div class="highlight"><pre class="highlight shell tab-shell"><code>curl <span class="s2">"https://api.shrike.example/kittens"</span> <span class="se">\\</span>
  <span class="nt">-H</span> <span class="s2">"X-Shrike: meow"</span>
</code></pre></div><div class="highlight"><pre class="highlight python tab-python"><code><span class="kn">import</span> <span class="nn">shrike</span>
</code></pre></div><blockquote><p>The above command returns JSON structured like this:</p></blockquote><div class="highlight"><pre class="highlight json tab-json"><code><span class="p">[{</span><span class="w"> </span><span class="nl">"id"</span><span class="p">:</span><span class="w"> </span><span class="mi">1</span><span class="w"> </span><span class="p">}]</span></code></pre></div><h3 id='query-parameters'>Query Parameters</h3><table><thead><tr><th>Parameter</th><th>Default</th><th>Description</th></tr></thead><tbody><tr><td>include_cats</td><td>false</td><td>If set to true, the result also has __cats__.</td></tr></tbody></table><aside class="success">Remember — a happy kitten has a key!</aside></div></div></body></html>`,
  keep: [
    'Introduction',
    'Keys go into the header X-Shrike',
    'Kittens',
    'Get All Kittens',
    '-H "X-Shrike: meow"',
    'import shrike',
    'returns JSON structured like this',
    '"id": 1',
    'Query Parameters',
    'include_cats',
    'a happy kitten has a key',
  ],
  drop: ['NAV', 'Powered by Slate'],
  keepMarkdown: ['```shell', '```python', '```json', '| include_cats | false |'],
};

const forum: Page = {
  name: 'Question and answers of a forum',
  url: 'https://ask.lapwing.example/questions/512/frost',
  html: `<!DOCTYPE html><html lang="en"><head><title>irrigation - How do I keep the valve from freezing? - Ask Lapwing</title></head><body class="question-page"><header class="s-topbar"><a href="/" class="s-topbar--logo">Ask Lapwing</a><ol class="s-topbar--content"><li><a href="/users/login">Log in</a></li></ol></header><div class="container"><div id="left-sidebar"><nav><ol class="nav-links"><li><a href="/tags">Tags</a></li></ol></nav></div><div id="content"><div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question"><div id="question-header"><h1 itemprop="name"><a href="/questions/512/frost" class="question-hyperlink">How do I keep the valve from freezing?</a></h1><a href="/questions/ask" class="s-btn">Ask Question</a></div><div class="d-flex"><div>Asked <time datetime="2025-01-02">2 months ago</time></div><div>Viewed 912 times</div></div><div id="mainbar"><div class="question" data-questionid="512"><div class="votecell"><div class="js-voting-container"><button>Up vote</button><div class="js-vote-count" data-value="14">14</div></div></div><div class="postcell"><div class="s-prose js-post-body" itemprop="text"><p>My valve froze at minus 6. The pipe is <code>DN20</code>.</p></div><div class="post-taglist"><ul><li><a href="/questions/tagged/frost" class="post-tag" rel="tag">frost</a></li></ul></div><div class="post-signature"><a href="/users/3">grower3</a><span class="reputation-score">1,204</span></div></div><div class="comments"><ul class="comments-list"><li class="comment"><span class="comment-copy">Which soil?</span></li></ul></div></div><div id="answers"><div id="answers-header"><h2>1 Answer</h2></div><div id="answer-9" class="answer accepted-answer" itemprop="acceptedAnswer" itemscope itemtype="https://schema.org/Answer"><div class="votecell"><button>Up vote</button><div>31</div></div><div class="answercell"><div class="s-prose" itemprop="text"><p>Drain it in October:</p><ol><li><p>Close the stopcock.</p></li><li><p>Open the drain until it runs dry.</p></li></ol><pre class="lang-bash s-code-block"><code class="hljs language-bash">lapwing valve drain --all</code></pre></div></div></div></div><h2 class="bottom-notice">Your Answer</h2><form id="post-form"><textarea></textarea><button>Post Your Answer</button></form></div><div id="sidebar"><div class="module sidebar-related"><h4>Related</h4><a href="/questions/3">Which pump for a well?</a></div><div id="hot-network-questions"><h4>Hot Network Questions</h4><ul><li><a href="https://x.example">Why is the sky dark?</a></li></ul></div></div></div></div></div><footer id="footer">Site design by Lapwing</footer></body></html>`,
  keep: [
    'How do I keep the valve from freezing?',
    'My valve froze at minus 6',
    'DN20',
    'Drain it in October',
    'Close the stopcock',
    'Open the drain until it runs dry',
    'lapwing valve drain --all',
  ],
  drop: ['Log in', 'Ask Question', 'Up vote', 'Post Your Answer', 'Which pump for a well', 'Why is the sky dark', 'Site design by'],
};

const mdbook: Page = {
  name: 'mdBook chapter',
  url: 'https://book.stonechat.example/ownership.html',
  html: `<!DOCTYPE HTML><html lang="en" class="light sidebar-visible" dir="ltr"><head><title>Moving rooms - The Stonechat Book</title></head><body><div id="mdbook-help-container"><div id="mdbook-help-popup"><h2 class="mdbook-help-title">Keyboard shortcuts</h2><div><p>Press <kbd>←</kbd> or <kbd>→</kbd> to navigate between chapters</p></div></div></div><div id="body-container"><nav id="sidebar" class="sidebar" aria-label="Table of contents"><ol class="chapter"><li class="chapter-item"><a href="intro.html"><strong>1.</strong> Getting a key</a></li></ol></nav><div id="page-wrapper" class="page-wrapper"><div class="page"><div id="menu-bar-hover-placeholder"></div><div id="menu-bar" class="menu-bar sticky"><div class="left-buttons"><button id="sidebar-toggle" class="icon-button" type="button">☰</button><ul id="theme-list" class="theme-popup" aria-label="Themes" role="menu"><li role="none"><button role="menuitem" class="theme" id="rust">Rust</button></li></ul></div><h1 class="menu-title">The Stonechat Book</h1><div class="right-buttons"><a href="print.html" title="Print this book"><i class="fa fa-print"></i></a></div></div><div id="search-wrapper" class="hidden"><form id="searchbar-outer"><input type="search" id="searchbar" placeholder="Search this book ..."></form></div><div id="content" class="content"><main><h1 id="moving-rooms"><a class="header" href="#moving-rooms">Moving rooms</a></h1><p>A room has one owner at a time.</p><h2 id="borrowing--lending"><a class="header" href="#borrowing--lending">Borrowing &amp; lending</a></h2><pre><pre class="playground"><code class="language-rust edition2021"><span class="boring">#![allow(unused)]
</span>let key = Key::new();
lend(&amp;key);</code></pre></pre><p>Lending ends at midnight.</p><div class="table-wrapper"><table><thead><tr><th>Room</th><th>Keys</th></tr></thead><tbody><tr><td>attic</td><td>2</td></tr></tbody></table></div><div class="warning"><p>Never copy a key.</p></div></main><nav class="nav-wrapper" aria-label="Page navigation"><a rel="prev" href="intro.html" class="mobile-nav-chapters previous"><i class="fa fa-angle-left"></i></a></nav></div></div><nav class="nav-wide-wrapper"><a rel="next" href="x.html" class="nav-chapters next"></a></nav></div></div></body></html>`,
  keep: [
    'Moving rooms',
    'A room has one owner at a time',
    'Borrowing & lending',
    'let key = Key::new();',
    'lend(&key);',
    'Lending ends at midnight',
    'attic',
    'Never copy a key',
  ],
  drop: ['Keyboard shortcuts', 'Getting a key', 'The Stonechat Book', 'Search this book'],
  keepMarkdown: ['# Moving rooms\n', '```rust', '| attic | 2 |'],
};

const javadoc: Page = {
  name: 'Javadoc class',
  url: 'https://javadoc.whimbrel.example/Queue.html',
  html: `<!DOCTYPE HTML><html lang="en"><head><title>Queue (Whimbrel 3 API)</title></head><body class="class-declaration-page"><div class="flex-box"><header role="banner" class="flex-header"><nav role="navigation"><div class="top-nav" id="navbar-top"><div class="skip-nav"><a href="#skip-navbar-top" title="Skip navigation links">Skip navigation links</a></div><ul id="navbar-top-firstrow" class="nav-list"><li><a href="index.html">Overview</a></li><li><a href="package-tree.html">Tree of packages</a></li></ul></div><div class="sub-nav"><div><ul class="sub-nav-list"><li>Summary:&nbsp;</li><li>Nested&nbsp;|&nbsp;</li><li><a href="#method-summary">Method</a></li></ul></div></div></nav></header><div class="flex-content"><main role="main"><div class="header"><div class="sub-title"><span class="package-label-in-type">Package</span>&nbsp;<a href="package-summary.html">org.whimbrel</a></div><h1 title="Class Queue" class="title">Class Queue&lt;T&gt;</h1></div><section class="class-description" id="class-description"><hr><div class="type-signature"><span class="modifiers">public class </span><span class="element-name type-name-label">Queue&lt;T&gt;</span></div><div class="block">A line of waiting birds. Not safe for several threads.</div></section><section class="summary"><ul class="summary-list"><li><section class="method-summary" id="method-summary"><h2>Method Summary</h2><div class="summary-table three-column-summary"><div class="table-header col-first">Modifier and Type</div><div class="table-header col-second">Method</div><div class="table-header col-last">Description</div><div class="col-first even-row-color"><code>void</code></div><div class="col-second even-row-color"><code><a href="#push(T)">push</a>(T bird)</code></div><div class="col-last even-row-color"><div class="block">Puts a bird at the end.</div></div></div></section></li></ul></section><section class="details"><ul class="details-list"><li><section class="method-details" id="method-detail"><h2>Method Details</h2><ul class="member-list"><li><section class="detail" id="push(T)"><h3>push</h3><div class="member-signature"><span class="modifiers">public</span>&nbsp;<span class="return-type">void</span>&nbsp;<span class="element-name">push</span>(T&nbsp;bird)</div><dl class="notes"><dt>Parameters:</dt><dd><code>bird</code> - the bird, never null</dd><dt>Throws:</dt><dd><code>FullException</code> - when 64 birds wait</dd></dl></section></li></ul></section></li></ul></section></main><footer role="contentinfo"><hr><p class="legal-copy"><small>Copyright &#169; 2025 Whimbrel</small></p></footer></div></div></body></html>`,
  keep: [
    'Class Queue<T>',
    'A line of waiting birds',
    'Not safe for several threads',
    'Method Summary',
    'Puts a bird at the end',
    'Method Details',
    'push',
    'the bird, never null',
    'when 64 birds wait',
  ],
  drop: ['Skip navigation links', 'Tree of packages', 'Copyright'],
  keepMarkdown: ['## Method Summary', '### push'],
};

const wix: Page = {
  name: 'Site builder without semantics',
  url: 'https://www.studio-robin.example/house-rules',
  html: `<!DOCTYPE html><html lang="en"><head><title>House rules | Studio Robin</title><meta property="og:site_name" content="Studio Robin"></head><body><div id="SITE_CONTAINER"><div id="main_MF"><div id="SCROLL_TO_TOP" tabindex="-1" role="region" aria-label="top of page">top of page</div><div id="site-root"><div id="masterPage"><div id="SITE_HEADER_WRAPPER"><div id="SITE_HEADER"><div class="_3bLYT"><p class="font_8"><span>Studio Robin</span></p></div><div class="wixui-menu"><a href="/classes">Classes</a><a href="/teachers">Teachers</a></div></div></div><div id="PAGES_CONTAINER"><div id="SITE_PAGES"><div id="c1dmp"><div class="_2Hij5"><section class="MazNVa comp-1 wixui-section"><div class="wixui-column-strip"><div class="comp-2 wixui-rich-text" data-testid="richTextElement"><h2 class="font_2 wixui-rich-text__text"><span class="color_15 wixui-rich-text__text">House rules</span></h2></div><div class="comp-3 wixui-rich-text"><p class="font_8"><span style="font-size:18px">Take your shoes off at the door.</span></p><p class="font_8"><span class="wixGuard">\u200b</span></p><p class="font_8"><span>Cancel a class </span><span style="font-weight:bold">12 hours</span><span> before, or it counts.</span></p></div><div class="comp-4"><ul class="font_8"><li><p class="font_8">Mats are lent for free.</p></li><li><p class="font_8">Towels cost 2 CHF.</p></li></ul></div></div></section></div></div></div></div><div id="SITE_FOOTER_WRAPPER"><div id="SITE_FOOTER"><p>©2025 by Studio Robin. Proudly created with Wix.com</p><div class="wixui-rich-text"><p>Subscribe to the newsletter of the studio</p></div><form><input type="email" name="email"><button>Join</button></form></div></div></div></div><div>bottom of page</div></div></div></body></html>`,
  keep: [
    'House rules',
    'Take your shoes off at the door',
    'Cancel a class 12 hours before, or it counts',
    'Mats are lent for free',
    'Towels cost 2 CHF',
  ],
  drop: ['Classes', 'Teachers', 'Proudly created', 'Subscribe to the newsletter', 'Join'],
};

const material: Page = {
  name: 'Expansion panels of an app',
  url: 'https://app.fieldfare.example/support/plans',
  html: `<!doctype html><html lang="en"><head><title>Support</title><style>.mat-expansion-panel-content{overflow:hidden;height:0}.cdk-visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden}</style></head><body><app-root ng-version="18"><mat-toolbar class="mat-toolbar" role="toolbar"><span>Fieldfare</span><button mat-icon-button><mat-icon class="material-icons" role="img">menu</mat-icon></button></mat-toolbar><mat-sidenav-container><mat-sidenav class="mat-drawer"><mat-nav-list role="navigation"><a mat-list-item href="/home"><mat-icon class="material-icons">home</mat-icon>Start screen</a></mat-nav-list></mat-sidenav><mat-sidenav-content><app-plans><h1>Plans</h1><p>Harvest plans can be shared with neighbours.</p><mat-accordion><mat-expansion-panel class="mat-expansion-panel"><mat-expansion-panel-header role="button" class="mat-expansion-panel-header" id="mat-expansion-panel-header-0" aria-controls="cdk-accordion-child-0" aria-expanded="false"><span class="mat-content"><mat-panel-title class="mat-expansion-panel-header-title">Can I share with ten people?</mat-panel-title><mat-panel-description>Limits</mat-panel-description></span><span class="mat-expansion-indicator"></span></mat-expansion-panel-header><div role="region" class="mat-expansion-panel-content" id="cdk-accordion-child-0" aria-labelledby="mat-expansion-panel-header-0" style="height: 0px; visibility: hidden;"><div class="mat-expansion-panel-body"><p>With eight at most.</p></div></div></mat-expansion-panel></mat-accordion><mat-tab-group><mat-tab-header><div role="tablist" class="mat-tab-labels"><div role="tab" id="mat-tab-label-0-0" aria-controls="mat-tab-content-0-0" aria-selected="true"><span>Weekly</span></div><div role="tab" id="mat-tab-label-0-1" aria-controls="mat-tab-content-0-1"><span>Yearly</span></div></div></mat-tab-header><div class="mat-tab-body-wrapper"><mat-tab-body role="tabpanel" id="mat-tab-content-0-0" aria-labelledby="mat-tab-label-0-0"><div>A box each Friday.</div></mat-tab-body><mat-tab-body role="tabpanel" id="mat-tab-content-0-1" aria-labelledby="mat-tab-label-0-1" style="transform: translate3d(100%, 0px, 0px); visibility: hidden"><div>Forty boxes, two weeks off.</div></mat-tab-body></div></mat-tab-group></app-plans></mat-sidenav-content></mat-sidenav-container></app-root><div class="cdk-overlay-container"><div class="cdk-visually-hidden">live region text</div></div></body></html>`,
  keep: [
    'Plans',
    'Harvest plans can be shared',
    'Can I share with ten people?',
    'With eight at most',
    'Weekly',
    'A box each Friday',
    'Yearly',
    'Forty boxes, two weeks off',
  ],
  drop: ['menu', 'Start screen', 'live region text'],
};

const hubspot: Page = {
  name: 'Knowledge base with a table of contents inside',
  url: 'https://knowledge.bittern.example/reports/export',
  html: `<!doctype html><html lang="en"><head><title>Export a report</title><meta name="robots" content="nofollow"></head><body class="kb-article tenant-landing-page flex flex-column"><header class="kb-header"><div class="content-container"><nav class="kb-header__nav"><a href="/">Bittern Knowledge</a></nav></div></header><main data-preview-id="kb-article-main" class="kb-article-page body-container-wrapper"><div class="kb-search-section"><form action="/kb-search-results"><input type="text" name="term" placeholder="Search for answers"></form></div><div class="kb-article-row content-container"><div class="kb-sidebar"><div class="kb-mobile-search-bar"></div><div class="kb-categories"><ul><li><a href="/reports">All about reports</a></li></ul></div></div><div class="kb-article tinymce-content"><div id="hs_cos_wrapper_article"><h1><span>Export a report</span></h1><div class="kb-meta">Last updated: 14 April 2025</div><div class="applicable-products"><p>Available with any of the following subscriptions, except where noted:</p><table><tbody><tr><td>Marketing</td><td>Professional, Enterprise</td></tr><tr><td>Sales</td><td>Enterprise</td></tr></tbody></table></div><div class="kb-toc"><p><strong>In this article:</strong></p><ul><li><a href="#csv">As CSV</a></li><li><a href="#pdf">As PDF</a></li></ul></div><h2><a id="csv" data-hs-anchor="true"></a>As CSV</h2><p>A CSV holds <em>at most</em> 100,000 rows.</p><div class="callout-note"><p><strong>Please note:</strong> large files are sent by mail.</p></div><h2><a id="pdf"></a>As PDF</h2><ul><li>In the upper right, click <strong>Actions</strong> &gt; <strong>Export</strong>.</li><li>Click the <strong>Format</strong> dropdown menu, then select <em>PDF</em>.</li></ul><p><a href="#top">Back to top</a></p></div><div id="kb-feedback"><p>Was this article helpful?</p><div><button>Yes</button> <button>No</button></div><p>This form is used for documentation feedback only. Learn how to get help.</p></div></div><div class="kb-related"><h4>Related content</h4><ul><li><a href="/a">Build a dashboard</a></li></ul></div></div></main><footer><p>Copyright © 2025 Bittern</p></footer></body></html>`,
  keep: [
    'Export a report',
    'Available with any of the following subscriptions',
    'Professional, Enterprise',
    'As CSV',
    'at most 100,000 rows',
    'large files are sent by mail',
    'As PDF',
    'click Actions > Export',
    'then select PDF',
  ],
  drop: [
    'Search for answers',
    'All about reports',
    'In this article',
    'Back to top',
    'Was this article helpful',
    'Build a dashboard',
    'Copyright',
  ],
  keepMarkdown: ['## As CSV {#csv}', '## As PDF {#pdf}'],
};

const fonts: Page = {
  name: 'Page of 1999',
  url: 'http://members.example/~gull/moorings.htm',
  html: `<html><head><title>Moorings - what to know</title></head><body background="sea.gif" text="#FFFFFF" link="yellow"><center><font face="Arial" size="6" color="#FFFF00"><b>MOORINGS</b></font><br><font size="2">[ <a href="index.htm">Main</a> | <a href="tides.htm">Tide tables</a> | <a href="guest.htm">Guestbook</a> ]</font><hr width="80%"></center><p><font face="Arial">A mooring in the north basin costs 40 pounds a week. In the south basin it is 55, because of the crane.</font><p><font face="Arial"><b>How to book</b><br>Call the harbour master before noon.<br>Say the length of your boat and its draught.</font><dl><dt><b>Length</b><dd>from bow to stern<dt><b>Draught</b><dd>from the water line down</dl><center><table border=1 cellpadding=4><caption>Basins</caption><tr><th>Basin<th>Depth<th>Price<tr><td>North<td>2 m<td>40<tr><td>South<td>4 m<td>55</table><p><font size="1">You are visitor number <img src="/cgi-bin/count" alt="00123"><br>© 1999 J. Gull</font></center></body></html>`,
  keep: [
    'MOORINGS',
    'costs 40 pounds a week',
    'because of the crane',
    'How to book',
    'Call the harbour master before noon',
    'its draught',
    'from bow to stern',
    'from the water line down',
    'Basins',
    'South',
    '4 m',
  ],
  drop: ['Tide tables', 'Guestbook', '00123'],
  keepMarkdown: ['| South | 4 m | 55 |'],
};

const changelog: Page = {
  name: 'Release notes',
  url: 'https://goldcrest.example/changelog',
  html: `<!doctype html><html lang="en"><head><title>Changelog – Goldcrest</title></head><body class="font-sans"><div class="bg-indigo-600 text-white text-center py-2 text-sm">Goldcrest 5 is here — <a href="/five">read more</a></div><header class="flex items-center justify-between px-6"><a href="/">Goldcrest</a><nav class="hidden md:flex"><a href="/product">Product</a></nav></header><main class="mx-auto max-w-3xl"><div class="mb-10"><h1 class="text-4xl font-bold">Changelog</h1><p class="text-zinc-500">New things and repairs.</p><a href="/rss.xml" class="text-xs">RSS feed</a></div><article class="relative pl-8" id="v5-2"><div class="text-sm"><time datetime="2025-05-20">May 20, 2025</time></div><h2 class="text-2xl"><a href="#v5-2">Version 5.2</a></h2><h3>Added</h3><ul class="list-disc"><li>Export to <code>parquet</code></li><li>Dark mode, <a href="/docs/dark">how to switch it on</a></li></ul><h3>Fixed</h3><ul><li>Dates before 1970 are read right</li></ul></article><article class="relative pl-8" id="v5-1"><div><time datetime="2025-04-02">April 2, 2025</time></div><h2><a href="#v5-1">Version 5.1</a></h2><p>Imports are twice as fast. Use <kbd>⌘</kbd><kbd>I</kbd>.</p><figure><video src="x.mp4">Your browser does not support video</video><figcaption>The import of a large file</figcaption></figure></article><nav class="flex justify-between"><a href="?page=2">Older releases</a></nav></main><footer class="bg-zinc-900"><a href="/legal">Legal</a></footer></body></html>`,
  keep: [
    'Changelog',
    'New things and repairs',
    'Version 5.2',
    'May 20, 2025',
    'Added',
    'Export to parquet',
    'how to switch it on',
    'Fixed',
    'Dates before 1970',
    'Version 5.1',
    'Imports are twice as fast',
    'The import of a large file',
  ],
  drop: ['Goldcrest 5 is here', 'Product', 'Older releases', 'Legal', 'does not support video'],
  keepMarkdown: ['## Version 5.2 {#v5-2}', '## Version 5.1 {#v5-1}'],
};

const university: Page = {
  name: 'University regulations (Drupal)',
  url: 'https://www.uni.example/en/exams/rules',
  html: `<!DOCTYPE html><html lang="en" dir="ltr"><head><title>Rules for exams | University of Example</title></head><body class="path-node page-node-type-page layout-one-sidebar"><a href="#main-content" class="visually-hidden focusable">Skip to main content</a><div class="dialog-off-canvas-main-canvas"><div id="page"><header class="header" role="banner"><div class="region region-header"><div class="site-branding">University of Example</div></div></header><div class="region region-breadcrumb"><div id="block-breadcrumbs"><nav class="breadcrumb"><ol><li><a href="/">Home</a></li><li><a href="/en/exams">Exams office</a></li></ol></nav></div></div><div class="layout-main clearfix"><main role="main"><a id="main-content"></a><div class="region region-content"><div id="block-local-tasks"><ul class="tabs primary"><li><a href="/node/7" class="is-active">View</a></li><li><a href="/node/7/revisions">Revisions</a></li></ul></div><div id="block-page-title"><h1 class="page-title"><span class="field field--name-title">Rules for exams</span></h1></div><article class="node node--type-page"><div class="node__content"><div class="field field--name-body"><p>§ 1 An exam may be repeated twice.</p><p>§ 2 Whoever is ill hands in a certificate within <strong>three days</strong>.</p><h2>Deadlines</h2><div class="ck-accordion"><div class="paragraph paragraph--type--accordion"><button class="accordion__toggle" aria-expanded="false" aria-controls="acc-1"><span>Winter semester</span></button><div class="accordion__content" id="acc-1" hidden><ul><li>Registration: 1 to 30 November</li><li>Withdrawal: until 10 January</li></ul></div></div><div class="paragraph paragraph--type--accordion"><button class="accordion__toggle" aria-expanded="false" aria-controls="acc-2"><span>Summer semester</span></button><div class="accordion__content" id="acc-2" hidden><ul><li>Registration: 1 to 31 May</li></ul></div></div></div><p class="documents"><a href="/files/rules.pdf">Rules in full (PDF, 212 KB)</a></p></div></div></article></div></main><aside class="layout-sidebar-first" role="complementary"><div class="region region-sidebar-first"><h2>In this section</h2><ul class="menu"><li><a href="/en/exams/dates">Dates of exams</a></li></ul></div><div class="contact-box"><h2>Contact</h2><p>Exams office, room 2.14</p></div></aside></div><footer class="footer"><div class="region region-footer">Legal notice</div></footer></div></div></body></html>`,
  keep: [
    'Rules for exams',
    'An exam may be repeated twice',
    'certificate within three days',
    'Deadlines',
    'Winter semester',
    'Withdrawal: until 10 January',
    'Summer semester',
    '1 to 31 May',
    'Rules in full',
  ],
  drop: ['Skip to main', 'Exams office', 'Revisions', 'Dates of exams', 'Legal notice'],
};

const docsy: Page = {
  name: 'Hugo documentation',
  url: 'https://docs.merganser.example/docs/tasks/scale/',
  html: `<!doctype html><html itemscope itemtype="http://schema.org/WebPage" lang="en"><head><title>Scale a cluster | Merganser</title></head><body class="td-page"><header><nav class="js-navbar-scroll navbar td-navbar"><a class="navbar-brand" href="/">Merganser</a><div class="td-navbar-nav-scroll"><ul class="navbar-nav"><li class="nav-item"><a class="nav-link" href="/docs/">Documentation</a></li></ul></div><div class="td-search"><input type="search" class="td-search__input form-control" placeholder="Search this site…"></div></nav></header><div class="container-fluid td-outer"><div class="td-main"><div class="row flex-xl-nowrap"><aside class="d-none d-xl-block col-xl-2 td-sidebar-toc d-print-none"><div class="td-page-meta ms-2 pb-1 pt-2 mb-0"><a href="https://github.com/m/d/edit/main/scale.md" class="td-page-meta--edit">Edit this page</a><a href="https://github.com/m/d/issues/new">Create documentation issue</a></div><div class="td-toc"><nav id="TableOfContents"><ul><li><a href="#before">Before you begin</a></li></ul></nav></div></aside><aside class="td-sidebar-nav"><ul><li><a href="/docs/setup/">Set up a cluster</a></li></ul></aside><main class="col-12 col-md-9 col-xl-8 ps-md-5" role="main"><nav aria-label="breadcrumb" class="td-breadcrumbs"><ol class="breadcrumb"><li class="breadcrumb-item"><a href="/docs/tasks/">Tasks</a></li></ol></nav><div class="pageinfo pageinfo-primary"><p>This documentation is for version 2.1, which is no longer maintained. For up-to-date documentation, see the <a href="/latest">latest version</a>.</p></div><div class="td-content"><h1>Scale a cluster</h1><div class="lead">Add nodes while it runs.</div><header class="article-meta"></header><h2 id="before">Before you begin<a class="td-heading-self-link" href="#before" aria-label="Heading self-link"></a></h2><p>You need <code>mctl</code> 1.4.</p><ul class="nav nav-tabs" id="tabs-0" role="tablist"><li class="nav-item"><button class="nav-link active" id="tabs-00-tab" data-bs-toggle="tab" data-bs-target="#tabs-00" role="tab" aria-controls="tabs-00">Bare metal</button></li><li class="nav-item"><button class="nav-link" id="tabs-01-tab" data-bs-toggle="tab" data-bs-target="#tabs-01" role="tab" aria-controls="tabs-01">Cloud</button></li></ul><div class="tab-content" id="tabs-0-content"><div class="tab-body tab-pane fade show active" id="tabs-00" role="tabpanel"><p>Plug in the machine.</p></div><div class="tab-body tab-pane fade" id="tabs-01" role="tabpanel"><div class="highlight"><pre tabindex="0" style="background-color:#f8f8f8"><code class="language-shell" data-lang="shell"><span style="display:flex;"><span>mctl node add --size <span style="color:#0000cf">4</span>
</span></span><span style="display:flex;"><span>mctl node ls
</span></span></code></pre></div></div></div><div class="alert alert-warning" role="alert"><div class="h4 alert-heading" role="heading">Warning</div><p>Never remove the first node.</p></div><div class="d-print-none"><h2 class="feedback--title">Feedback</h2><p class="feedback--question">Was this page helpful?</p><button class="btn">Yes</button><button>No</button></div><div class="td-page-meta__lastmod">Last modified February 9, 2025: <a href="https://github.com/m/d/commit/1">fix typo (a1b2)</a></div></div></main></div></div><footer class="td-footer">© 2025 The Merganser Authors</footer></div></body></html>`,
  keep: [
    'Scale a cluster',
    'Add nodes while it runs',
    'Before you begin',
    'You need mctl 1.4',
    'Bare metal',
    'Plug in the machine',
    'Cloud',
    'mctl node add --size 4',
    'mctl node ls',
    'Warning',
    'Never remove the first node',
  ],
  drop: [
    'Search this site',
    'Edit this page',
    'Create documentation issue',
    'Set up a cluster',
    'no longer maintained',
    'Was this page helpful',
    'Merganser Authors',
  ],
  keepMarkdown: ['```shell\nmctl node add --size 4\nmctl node ls\n```', '## Before you begin {#before}'],
};

const retail: Page = {
  name: 'Shop page with tabs of its own',
  url: 'https://www.woodlark.example/p/lamp-14',
  html: `<!doctype html><html lang="en"><head><title>Lamp 14 – Woodlark</title><style>.tab{display:none}.tab.active{display:block}</style><script>document.querySelectorAll('[data-tab]').forEach(b=>b.onclick=()=>show(b.dataset.tab))</script></head><body><div class="shipping-strip">Free returns until January</div><header><a href="/">Woodlark</a><form action="/s"><input name="q" placeholder="What are you looking for?"></form><a href="/basket">Basket (0)</a></header><ol class="crumbs"><li><a href="/">Shop</a></li><li><a href="/lamps">Table lamps</a></li><li>Lamp 14</li></ol><div class="product"><div class="gallery"><img src="1.jpg" alt="Lamp 14 front view"></div><div class="buy"><h1>Lamp 14</h1><p class="price">129.00 €</p><p>An oak lamp with a linen shade.</p><form action="/basket"><label>Colour <select><option>oak</option><option>ash</option></select></label><button>Add to basket</button></form></div><div class="product-tabs"><div class="tab-buttons"><button data-tab="care" class="on">Care</button><button data-tab="size">Dimensions</button><button data-tab="ship">Delivery</button></div><div class="tab active" id="care"><p>Dust the shade with a dry cloth.</p></div><div class="tab" id="size"><table><tr><th>Height</th><td>42 cm</td></tr><tr><th>Cable</th><td>1.8 m</td></tr></table></div><div class="tab" id="ship"><p>Two to four days. The bulb is sent apart.</p></div></div></div><section class="also"><h2>You may also like</h2><div class="grid"><a href="/p/lamp-15">Lamp 15<br>139.00 €</a><a href="/p/lamp-9">Lamp 9<br>89.00 €</a></div></section><section class="reviews"><h2>Reviews</h2><div class="review"><b>Great light</b><p>Lovely on my desk.</p></div></section><footer><ul><li><a href="/stores">Our stores</a></li></ul><p>Woodlark AB</p></footer></body></html>`,
  keep: [
    'Lamp 14',
    '129.00 €',
    'An oak lamp with a linen shade',
    'Care',
    'Dust the shade with a dry cloth',
    'Dimensions',
    '42 cm',
    '1.8 m',
    'Delivery',
    'The bulb is sent apart',
  ],
  drop: [
    'Free returns until',
    'What are you looking for',
    'Basket (0)',
    'Table lamps',
    'Add to basket',
    'Lamp 15',
    'Our stores',
    'front view',
  ],
};

export const pages: readonly Page[] = [
  government,
  terms,
  elementor,
  webflow,
  slate,
  forum,
  mdbook,
  javadoc,
  wix,
  material,
  hubspot,
  fonts,
  changelog,
  university,
  docsy,
  retail,
];

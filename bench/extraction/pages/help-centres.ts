/** Articles after the markup of help centres, and frequently asked questions in the ways that sites collapse them. */
import type { Page } from '../row.ts';

const zendesk: Page = {
  name: 'Zendesk article',
  url: 'https://support.plover.example/hc/en-us/articles/360012-Change-your-plan',
  html: `<!DOCTYPE html><html dir="ltr" lang="en-US"><head><title>Change your plan &ndash; Plover Support</title><link rel="canonical" href="https://support.plover.example/hc/en-us/articles/360012-Change-your-plan"><meta property="og:site_name" content="Plover Support"/><meta property="og:title" content="Change your plan"/></head><body class="">
<a class="skip-navigation" tabindex="1" href="#main-content">Skip to main content</a><header class="header"><div class="logo"><a title="Home" href="/hc/en-us">Plover Support</a></div><div class="nav-wrapper-desktop"><nav class="user-nav" id="user-nav"><ul class="user-nav-list"><li><a class="submit-a-request" href="/hc/en-us/requests/new">Submit a request</a></li></ul></nav></div></header>
<main role="main"><div class="container-divider"></div><div class="container"><div class="sub-nav"><nav aria-label="Current location"><ol class="breadcrumbs"><li title="Plover Support"><a href="/hc/en-us">Plover Support</a></li><li title="Billing desk"><a href="/hc/en-us/categories/1">Billing desk</a></li></ol></nav><form role="search" class="search" action="/hc/en-us/search"><input type="search" name="query" placeholder="Search" aria-label="Search"></form></div>
<div class="article-container" id="article-container"><aside class="article-sidebar" aria-labelledby="section-articles-title"><div class="collapsible-sidebar"><button type="button" class="collapsible-sidebar-toggle" aria-expanded="false"></button><span id="section-articles-title" class="collapsible-sidebar-title sidenav-title">Articles in this section</span><div class="collapsible-sidebar-body"><ul><li><a href="/hc/en-us/articles/2" class="sidenav-item">Add a card</a></li><li><a href="/hc/en-us/articles/3">See invoices</a></li></ul></div></div></aside>
<article id="main-content" class="article"><header class="article-header"><h1 title="Change your plan" class="article-title">Change your plan</h1><div class="article-author"><div class="avatar article-avatar"><img src="x.png" alt="" class="user-avatar"/></div><div class="article-meta"><a href="/hc/en-us/profiles/1">Mona from Plover</a><div class="meta-group"><span class="meta-data"><time datetime="2025-01-15T09:00:00Z">15 January 2025</time></span><span class="meta-data">Updated</span></div></div></div><button data-helper="subscribe" class="article-subscribe">Follow</button></header>
<section class="article-info"><div class="article-content"><div class="article-body"><p>Owners can move between plans at any time.</p><h2 id="h_01HX">Move up</h2><ol><li>Open <strong>Account &gt; Plan</strong>.</li><li>Choose the new plan. <p><img src="shot.png" alt="screenshot 12"></p></li><li>Confirm with your password.</li></ol><p class="callout"><em>Note:</em> the difference is charged on the same day.</p><h2 id="h_02HX">Move down</h2><p>The change takes effect on the next invoice date. Credit is not paid out.</p><table><tbody><tr><td><strong>From</strong></td><td><strong>To</strong></td><td><strong>When</strong></td></tr><tr><td>Gold</td><td>Silver</td><td>next month</td></tr></tbody></table></div><div class="article-attachments"><ul class="attachments"></ul></div></div></section>
<footer><div class="article-footer"><div class="article-share"><ul class="share"><li><a href="https://www.facebook.com/share.php?title=x&u=y" class="share-facebook" aria-label="Facebook"></a></li></ul></div></div><div class="article-votes"><span class="article-votes-question" id="article-votes-label">Was this article helpful?</span><div class="article-votes-controls"><button type="button" class="button article-vote">Yes</button><button type="button">No</button></div><small class="article-votes-count"><span class="article-vote-label">12 out of 31 found this helpful</span></small></div><div class="article-more-questions">Have more questions? <a href="/hc/en-us/requests/new">Submit a request</a></div><div class="article-return-to-top"><a href="#article-container">Return to top</a></div></footer>
<div class="article-relatives"><section class="related-articles"><h2 class="related-articles-title">Related articles</h2><ul><li><a href="/hc/en-us/articles/9">How credit works</a></li></ul></section><section class="recent-articles"><h2>Recently viewed articles</h2><ul><li><a href="/hc/en-us/articles/10">Change the owner</a></li></ul></section></div>
<div class="article-comments" id="article-comments"><section class="comments"><div class="comment-overview"><h2 class="comment-heading">Comments</h2><p class="comment-callout">0 comments</p></div><p class="comment-callout">Please <a rel="nofollow" href="/access">sign in</a> to leave a comment.</p></section></div></article></div></div></main>
<footer class="footer"><div class="footer-inner"><a title="Home" href="/hc/en-us">Plover Support</a><div class="powered-by-zendesk"><a href="https://zendesk.example">Powered by Zendesk</a></div></div></footer></body></html>`,
  keep: [
    'Change your plan',
    'Owners can move between plans',
    'Move up',
    'Open Account > Plan',
    'Confirm with your password',
    'the difference is charged on the same day',
    'Move down',
    'Credit is not paid out',
    'Gold',
    'next month',
  ],
  drop: [
    'Skip to main',
    'Submit a request',
    'Billing desk',
    'Articles in this section',
    'See invoices',
    'Follow',
    'found this helpful',
    'Was this article helpful',
    'Have more questions',
    'Return to top',
    'How credit works',
    'Change the owner',
    'leave a comment',
    'Powered by',
    'screenshot 12',
  ],
  keepMarkdown: ['# Change your plan\n', '## Move up {#h_01HX}', '1. Open **Account > Plan**.', '| Gold | Silver | next month |'],
};

const intercom: Page = {
  name: 'Intercom article',
  url: 'https://help.dunlin.example/en/articles/77-invite-guests',
  html: `<!DOCTYPE html><html lang="en"><head><title>Invite guests | Dunlin Help Center</title><meta property="og:title" content="Invite guests | Dunlin Help Center"><meta property="article:modified_time" content="2025-04-20T11:30:00+02:00"></head><body><div id="__next"><div class="fixed hidden"></div><a href="#main-content" class="sr-only font-bold">Skip to main content</a><header class="header__lite" data-testid="header-container"><a href="/en/">Dunlin Help Center</a><form action="/en/" autocomplete="off"><input type="text" autocomplete="off" class="search__input" aria-label="Search for articles..." placeholder="Search for articles..."></form></header>
<div id="main-content"><div class="relative z-3 w-full"><div class="intercom-interblocks-wrapper"><nav class="breadcrumb"><a href="/en/">All Collections</a><div class="breadcrumb-arrow">›</div><a href="/en/collections/5">People and roles</a><div>Invite guests</div></nav></div>
<div class="article intercom-force-break"><div class="mb-10 max-lg:mb-6"><div class="flex flex-col gap-4"><div class="flex flex-col"><h1 class="mb-1 font-primary text-2xl">Invite guests</h1><div class="text-md font-normal"><p>Let people in without a seat.</p></div></div><div class="avatar"><div class="avatar__photo"><img alt=""></div><div class="avatar__info"><div>Written by <span>Priya</span></div> Updated over a month ago</div></div></div></div>
<div class="jsx-1 bg-neutral-100 toc"><button aria-expanded="false" class="table-of-contents-toggle">Table of contents</button></div>
<div class="jsx-2 article_body"><article class="dir-ltr"><div class="intercom-interblocks-paragraph no-margin"><p>A guest sees one room only.</p></div><div class="intercom-interblocks-heading intercom-interblocks-align-left"><h2 id="h_4ab">Send the invitation</h2></div><div class="intercom-interblocks-ordered-nested-list"><ol><li><div class="intercom-interblocks-paragraph no-margin"><p>Open the room and press <b>Share</b>.</p></div></li><li><div class="intercom-interblocks-paragraph no-margin"><p>Type the address; guests need no account.</p></div></li></ol></div>
<div class="intercom-interblocks-callout" style="background-color:#e8e8e880;border-color:#73737633"><div class="intercom-interblocks-paragraph"><p>Guests leave by themselves after 30 days without a visit.</p></div></div>
<div class="intercom-interblocks-collapsible-section"><section class="related"><details class="intercom-interblocks-collapsible"><summary><div class="intercom-interblocks-heading"><h3 id="h_9">Can a guest upload files?</h3></div></summary><div><p>Yes, up to 100 MB each.</p></div></details></section></div>
<div class="intercom-interblocks-table-container"><table role="presentation"><tbody><tr><td><div><p><b>Role</b></p></div></td><td><div><p><b>May write</b></p></div></td></tr><tr><td><div><p>Guest</p></div></td><td><div><p>in one room</p></div></td></tr></tbody></table></div>
<section class="jsx-3 related_articles my-6"><hr><div class="mb-3">Related Articles</div><section class="flex flex-col"><a class="flex" href="/en/articles/78"><span class="m-0 text-md">Remove people</span></a></section></section></article></div></div></div>
<div class="intercom-reaction-picker -mb-4" role="group" aria-label="feedback form"><div class="intercom-reaction-prompt">Did this answer your question?</div><button class="intercom-reaction" aria-label="Disappointed Reaction"><span>😞</span></button><button><span>😃</span></button></div></div>
<footer id="footer" class="mt-24"><div class="px-5">Dunlin is made in Riga</div><div class="footer__advert"><a href="https://intercom.example">We run on Intercom</a></div></footer></div></body></html>`,
  keep: [
    'Invite guests',
    'Let people in without a seat',
    'A guest sees one room only',
    'Send the invitation',
    'press Share',
    'guests need no account',
    'after 30 days without a visit',
    'Can a guest upload files?',
    'up to 100 MB each',
    'in one room',
  ],
  drop: [
    'Skip to main',
    'Search for articles',
    'All Collections',
    'People and roles',
    'Table of contents',
    'Remove people',
    'Did this answer your question',
    'made in Riga',
    'We run on Intercom',
  ],
  keepMarkdown: ['# Invite guests', '## Send the invitation {#h_4ab}', '### Can a guest upload files? {#h_9}'],
};

const freshdesk: Page = {
  name: 'Freshdesk solution',
  url: 'https://godwit.freshdesk.example/support/solutions/articles/43000',
  html: `<!DOCTYPE html><html lang="en"><head><title>Return a rental : Godwit</title></head><body class="portal-body"><header class="banner"><div class="banner-wrapper page"><div class="banner-title"><a href="/support/home" class="portal-logo"></a><h1 class="ellipsis heading">Godwit</h1></div><nav class="banner-nav"><div class="welcome">Welcome <b></b></div><b><a href="/support/login"><b>Login</b></a></b></nav></div></header><nav class="page-tabs"><div class="page no-padding"><ul><li><a href="/support/home">Home</a></li><li><a href="/support/solutions" class="active">Solutions</a></li></ul></div></nav>
<section class="help-center rounded-6"><div class="hc-search"><form class="hc-search-form" action="/support/search/solutions"><input placeholder="Enter your search term here..." type="text" class="special"/></form></div></section>
<div class="page"><section class="main content rounded-6 min-height-on-desktop fc-article-show" id="article-show-43000"><div class="breadcrumb"><a href="/support/solutions">Solution home</a><a href="/support/solutions/1">Rentals</a><a href="/support/solutions/folders/4">After the trip</a></div><b class="page-stamp page-stamp-article"><b class="icon-page-article"></b></b><h2 class="heading">Return a rental<a href="javascript:print();" class="solution-print--icon print--remove" title="Print this Article"><span class="icon-print"></span><span class="text-print">Print</span></a></h2><p>Modified on: Mon, 3 Mar, 2025 at 9:00 AM</p><hr />
<article class="article-body" id="article-body" rel="image-enlarge"><p dir="ltr">Bring the bicycle back to <strong>any</strong> station before midnight.</p><p><br></p><ul><li>Lock it to the rail.</li><li>Wait for two beeps.<ul><li>One beep means the lock is open.</li></ul></li></ul><p style="margin-left:20px"><span style="font-size:13px;color:rgb(0,0,0)">A late return costs 4 EUR an hour.</span></p></article><hr />
<p class="article-vote" id="voting-container"><b>Did you find it helpful?</b><span class="vote-up a-link">Yes</span><span class="vote-down-container"><span class="vote-down a-link">No</span></span></p><div id="feedback" class="hide"><form class="feedback-form"><strong>Can you please tell us how we can improve this article?</strong><textarea></textarea></form></div></section>
<section class="sidebar content rounded-6 fc-related-articles"><div id="related_articles"><div class="cs-g-c"><section class="article-list"><h3 class="list-lead">Related Articles</h3><ul><li><a href="/support/2">Lost keys</a></li></ul></section></div></div></section></div><footer class="footer rounded-6"><nav class="footer-links page no-padding"><a href="/support/home">Home</a></nav></footer></body></html>`,
  keep: [
    'Return a rental',
    'Bring the bicycle back to any station',
    'Lock it to the rail',
    'Wait for two beeps',
    'One beep means the lock is open',
    'A late return costs 4 EUR an hour',
  ],
  drop: [
    'Welcome',
    'Login',
    'Solution home',
    'After the trip',
    'Enter your search',
    'Print',
    'Did you find it helpful',
    'how we can improve',
    'Lost keys',
  ],
  keepMarkdown: ['- Wait for two beeps.\n  - One beep'],
};

const bootstrap: Page = {
  name: 'FAQ: Bootstrap collapse',
  url: 'https://www.avocet.example/faq',
  html: `<!doctype html><html lang="en"><head><title>FAQ | Avocet Ferries</title></head><body><nav class="navbar navbar-expand-lg"><a class="navbar-brand" href="/">Avocet Ferries</a><button class="navbar-toggler" data-bs-toggle="collapse" data-bs-target="#nav">Menu</button><div class="collapse navbar-collapse" id="nav"><ul class="navbar-nav"><li class="nav-item"><a class="nav-link" href="/book">Book a crossing</a></li></ul></div></nav>
<div class="container py-5"><h1>Questions and answers</h1><p class="lead">What passengers ask most.</p><ul class="nav nav-tabs" id="t" role="tablist"><li class="nav-item" role="presentation"><button class="nav-link active" data-bs-toggle="tab" data-bs-target="#cars" type="button" role="tab">With a car</button></li><li class="nav-item"><button class="nav-link" data-bs-toggle="tab" data-bs-target="#foot" type="button" role="tab">On foot</button></li></ul>
<div class="tab-content"><div class="tab-pane fade show active" id="cars" role="tabpanel"><div class="accordion" id="a1"><div class="accordion-item"><h2 class="accordion-header" id="h1"><button class="accordion-button" type="button" data-bs-toggle="collapse" data-bs-target="#c1" aria-expanded="true" aria-controls="c1">How early must I arrive?</button></h2><div id="c1" class="accordion-collapse collapse show" data-bs-parent="#a1"><div class="accordion-body">Forty-five minutes before departure.</div></div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button collapsed" type="button" data-bs-toggle="collapse" data-bs-target="#c2" aria-expanded="false">May I stay in the car?</button></h2><div id="c2" class="accordion-collapse collapse" data-bs-parent="#a1"><div class="accordion-body">No, the car deck is locked at sea. <a href="/safety#deck">Why</a></div></div></div></div></div>
<div class="tab-pane fade" id="foot" role="tabpanel"><div class="accordion"><div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button collapsed" data-bs-toggle="collapse" data-bs-target="#c3">Can I bring a bicycle?</button></h2><div id="c3" class="accordion-collapse collapse"><div class="accordion-body"><p>Yes, for 6 EUR.</p><ul><li>Tandems cost 9 EUR.</li></ul></div></div></div></div></div></div></div>
<div class="modal fade" id="news" tabindex="-1"><div class="modal-dialog"><div class="modal-content"><h5 class="modal-title">Get our timetable by mail</h5><button class="btn" data-bs-dismiss="modal">Close</button></div></div></div><footer class="bg-dark text-white py-4"><div class="container">© Avocet Ferries 2025</div></footer>
<div class="alert alert-info fixed-bottom" role="alert">We use cookies to improve the crossing. <button class="btn btn-sm">Accept all</button> <button>Reject</button></div></body></html>`,
  keep: [
    'Questions and answers',
    'What passengers ask most',
    'With a car',
    'How early must I arrive?',
    'Forty-five minutes before departure',
    'May I stay in the car?',
    'the car deck is locked at sea',
    'On foot',
    'Can I bring a bicycle?',
    'Yes, for 6 EUR',
    'Tandems cost 9 EUR',
  ],
  drop: ['Book a crossing', 'Get our timetable', '© Avocet', 'We use cookies', 'Accept all', 'Reject', 'Menu'],
  keepMarkdown: ['## How early must I arrive?', '(https://www.avocet.example/safety#deck)'],
};

const radix: Page = {
  name: 'FAQ: headless accordion',
  url: 'https://siskin.example/pricing',
  html: `<!doctype html><html lang="en"><head><title>Pricing — Siskin</title></head><body class="bg-white"><header class="sticky top-0"><div class="mx-auto"><a href="/">Siskin</a><div class="flex gap-4"><a href="/features">What it does</a><a href="/login">Log in</a><a href="/signup" class="btn">Start free trial</a></div></div></header><main class="mx-auto max-w-5xl"><section class="py-20"><h1 class="text-5xl">Simple pricing</h1><p>Pay for the rooms you clean, not for people.</p><div class="grid grid-cols-2"><div class="rounded border p-6"><h3>Small</h3><p class="text-4xl">€19<span>/month</span></p><ul><li>Up to 12 rooms</li><li>E-mail support</li></ul><a href="/signup?plan=s" class="btn">Choose Small</a></div><div class="rounded border p-6"><h3>Large</h3><p>€89<span>/month</span></p><ul><li>Unlimited rooms</li><li>Telephone support</li></ul></div></div></section>
<section class="py-16" id="faq"><h2 class="text-3xl">Frequently asked questions</h2><div data-orientation="vertical"><div data-state="closed" data-orientation="vertical" class="border-b"><h3 data-orientation="vertical" data-state="closed" class="flex"><button type="button" aria-controls="radix-:R1:" aria-expanded="false" data-state="closed" id="radix-:R2:" class="flex flex-1">Do you charge for empty rooms?<svg class="lucide lucide-chevron-down"></svg></button></h3><div data-state="closed" id="radix-:R1:" hidden="" role="region" aria-labelledby="radix-:R2:" class="overflow-hidden"><div class="pb-4 pt-0">Never. A room that is not cleaned costs nothing.</div></div></div></div>
<dl class="mt-10 divide-y"><div class="pt-6"><dt><button type="button" aria-expanded="false" aria-controls="hu-1"><span>Is there a contract?</span><span class="ml-6"><svg></svg></span></button></dt><dd class="mt-2 pr-12" id="hu-1" style="display:none"><p>No, you may leave at the end of any month.</p></dd></div></dl>
<div class="MuiAccordion-root"><div class="MuiAccordionSummary-root" role="button" aria-expanded="false" aria-controls="panel1a-content" id="panel1a-header" tabindex="0"><div class="MuiAccordionSummary-content"><p class="MuiTypography-root">Can I get an invoice?</p></div><div class="MuiAccordionSummary-expandIconWrapper"><svg></svg></div></div><div class="MuiCollapse-root MuiCollapse-vertical MuiCollapse-hidden" style="min-height:0px;height:0;overflow:hidden;visibility:hidden"><div class="MuiCollapse-wrapper"><div class="MuiCollapse-wrapperInner"><div aria-labelledby="panel1a-header" id="panel1a-content" role="region"><div class="MuiAccordionDetails-root"><p>Invoices are sent on the first of each month.</p></div></div></div></div></div></div></section>
<section class="bg-gray-900 py-12"><h2>Stay in the loop</h2><p>Tips for housekeepers, once a month.</p><form><input type="email" placeholder="you@example.com" required><button type="submit">Subscribe</button></form></section></main><footer class="border-t"><div>© 2025 Siskin BV</div><a href="/imprint">Imprint</a></footer></body></html>`,
  keep: [
    'Simple pricing',
    'Pay for the rooms you clean',
    'Small',
    '€19',
    'Up to 12 rooms',
    'Large',
    'Telephone support',
    'Frequently asked questions',
    'Do you charge for empty rooms?',
    'A room that is not cleaned costs nothing',
    'Is there a contract?',
    'you may leave at the end of any month',
    'Can I get an invoice?',
    'on the first of each month',
  ],
  drop: ['What it does', 'Log in', 'Start free trial', 'Stay in the loop', 'Tips for housekeepers', 'Subscribe', 'Siskin BV', 'Imprint'],
  keepMarkdown: ['### Do you charge for empty rooms?', '## Frequently asked questions {#faq}', '### Is there a contract?'],
};

const jquery: Page = {
  name: 'FAQ: scripted answers',
  url: 'http://www.ruff-parcels.example/help/faq.php',
  html: `<html><head><title>Ruff Parcels :: FAQ</title><style>.answer{display:none}.faq h4{cursor:pointer}#top-links{float:right}.print-only{display:none}@media print{.print-only{display:block}.faq{display:none}}</style><script>$(function(){$('.question').click(function(){$(this).next('.answer').slideToggle();});});</script></head><body><div id="wrapper"><div id="header"><div id="logo"><a href="/">Ruff Parcels</a></div><ul id="menu"><li><a href="/rates.php">Rates</a></li><li><a href="/shops.php">Find a shop</a></li></ul></div><div id="left"><h3>Shortcuts</h3><ul><li><a href="/track.php">Track a parcel</a></li><li><a href="/claims.php">Make a claim</a></li></ul></div>
<div id="content"><h2>Frequently Asked Questions</h2><div class="faq"><h4 class="question">Where is my parcel?</h4><div class="answer"><p>Type its number on the tracking page. The number has 14 digits.</p></div><h4 class="question">It arrived broken. What now?</h4><div class="answer"><p>Keep the box, take photos, and write to us within <b>seven days</b>.</p></div><h4 class="question">Do you deliver on Sundays?</h4><div class="answer"><p>Only in December.</p></div></div><div class="print-only">Printed from ruff-parcels.example</div>
<p><a href="javascript:void(0)" onclick="show('more')">Prices for islands</a></p><div id="more" style="display:none">Islands cost 3 pounds more.</div></div><div id="footer">Copyright Ruff Parcels Ltd. | <a href="/terms.php">Terms</a> | <a href="/privacy.php">Privacy</a></div></div></body></html>`,
  keep: [
    'Frequently Asked Questions',
    'Where is my parcel?',
    'The number has 14 digits',
    'It arrived broken. What now?',
    'Keep the box, take photos',
    'Do you deliver on Sundays?',
    'Only in December',
    'Prices for islands',
    'Islands cost 3 pounds more',
  ],
  drop: ['Find a shop', 'Shortcuts', 'Make a claim', 'Printed from', 'Copyright Ruff', 'slideToggle'],
  keepMarkdown: ['#### Where is my parcel?'],
};

const details: Page = {
  name: 'FAQ: details',
  url: 'https://wheatear.example/help',
  html: `<!doctype html><html lang="en-GB"><head><title>Help · Wheatear Bank</title><meta property="og:site_name" content="Wheatear Bank"></head><body><header role="banner"><a href="/">Wheatear Bank</a><nav><a href="/cards">Our cards</a></nav></header><main><h1>Help with cards</h1><nav aria-label="On this page"><ul><li><a href="#lost">Lost cards</a></li><li><a href="#fees">Fees</a></li></ul></nav><section id="lost" aria-labelledby="lost-h"><h2 id="lost-h">Lost cards</h2><details id="block"><summary>How do I block a card?</summary><p>Call +44 20 7946 0000, day and night.</p><p>In the app, press <b>Freeze</b>.</p></details><details><summary><h3>When does the new one arrive?</h3></summary><p>Within five working days.</p></details></section><section id="fees"><h2>Fees</h2><details open><summary>What does a replacement cost?</summary><p>Nothing for the first one in a year, then £6.</p></details><p>Fees were last changed in 2023.</p></section><div hidden="until-found"><p>Old fees: £4 until 2022.</p></div></main><footer><p>Authorised by the regulator</p></footer></body></html>`,
  keep: [
    'Help with cards',
    'Lost cards',
    'How do I block a card?',
    'Call +44 20 7946 0000',
    'press Freeze',
    'When does the new one arrive?',
    'Within five working days',
    'Fees',
    'What does a replacement cost?',
    'then £6',
    'Fees were last changed in 2023',
    'Old fees: £4 until 2022',
  ],
  drop: ['Our cards', 'Authorised by the regulator'],
  keepMarkdown: ['### How do I block a card? {#block}', '**What does a replacement cost?**', '### When does the new one arrive?'],
};

export const pages: readonly Page[] = [zendesk, intercom, freshdesk, bootstrap, radix, jquery, details];

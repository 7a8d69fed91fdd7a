/**
 * English near-synonyms about getting help, plus abbreviations and spellings. One group per line, entries separated by commas.
 * Refuses opposites, wider terms and function words.
 */

const support = `
support, customer service, customer support, help desk, helpdesk, support team
support ticket, open a ticket, support request, open a case
speak to a human, talk to a person, live agent, real person, human agent
phone support, call support, hotline, support by phone
live chat, chat support, chat with support
response time, reply time, how fast you answer
not working, does not work, broken, stopped working, malfunction
problem, issue, trouble, difficulty
troubleshoot, diagnose, find the cause
workaround, temporary fix, alternative solution
outage, downtime, service interruption, service disruption
uptime, service availability, status page
maintenance, maintain
requirement, prerequisite, precondition, system requirements
compatible, works with
supported browsers, browser, web browser
operating system, os
mobile app, phone app, smartphone app
desktop app, desktop client, computer app
app, application, program, software
website, web site, site, web page, webpage
home page, homepage, start page, landing page
dashboard, overview page, control panel, admin panel, console
menu, navigation, sidebar
shortcut, hotkey, keyboard shortcut, key combination
dark mode, night mode, dark theme
theme, skin, look and feel
font, typeface, text size
tutorial, guide, walkthrough, how-to, step by step
getting started, quickstart, quick start, first steps
faq, frequently asked questions, common questions, questions and answers
knowledge base, help center, help centre, help pages
glossary, terminology, dictionary
roadmap, upcoming features, future plans
feature, capability
beta, early access, preview version, experimental
known issue, known bug, known limitation
restriction, constraint
qr code, scan code, barcode
trash, recycle bin, deleted items
deleted files, recover deleted, restore deleted, undelete
backup, back up, copy of my data, snapshot
retention, storage period, how long kept, how long stored
data location, data residency, where data is stored, server location, data center
export data, data export, download my data, data portability
import data, data import, bring in data, data migration`;

const forms = `
docs, documentation, handbook, user manual, reference guide, user guide
info, information, details
id, identifier
approx, approximately, roughly, about how many
qty, quantity
asap, as soon as possible, urgently
eta, estimated time of arrival, expected arrival
tbd, to be decided, not decided yet
ui, user interface, gui
ux, user experience
pdf, acrobat
usd, dollar, us dollar
eur, euro
gbp, pound, sterling
usa, united states, america
uk, united kingdom, great britain, england
eu, european union, europe
gb, gigabyte
mb, megabyte
percent, percentage
colour, color
centre, center
favourite, favorite, bookmark
licence, license
labour, labor
programme, program
authorise, authorize
analyse, analyze, analysis
grey, gray
post code, zip code, postcode, postal code, zip
rubbish, garbage, waste, trash
petrol, gasoline, fuel`;

export const englishSupport: string = [support, forms].join('');

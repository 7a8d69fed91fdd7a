export const en = {
  'stop-words': `
// Words that say how something is asked, not what about; without apostrophes.
a, about, above, after, again, against, all, also, although, always, am, an, and, any, anybody, anyone, anything, are, arent, around, as
ask, at, away, be, because, been, before, being, below, between, both, but, by, came, can, cant, cannot, could, couldnt, did, didnt, do
does, doesnt, doing, done, dont, down, during, each, either, else, etc, ever, every, everything, example, explain, few, find, for, from
further, get, gets, getting, give, gives, given, go, goes, going, got, had, hadnt, happen, happens, has, hasnt, have, havent, having, he
hed, hell, hes, hello, help, her, here, hers, herself, hey, hi, him, himself, his, how, however, i, id, ill, im, ive, if, in, into, is
isnt, it, itd, itll, its, itself, just, kind, know, let, lets, like, long, look, made, make, makes, many, may, maybe, me, mean, means
might, mine, more, most, much, must, my, myself, need, needs, neither, no, nobody, nor, not, nothing, now, of, off, often, oh, ok, okay
on, once, one, only, onto, or, other, others, ought, our, ours, ourselves, out, over, own, please, possible, rather, really, same, say
says, see, seem, seems, shall, she, should, shouldnt, show, since, so, some, somebody, someone, something, sort, still, such, take
takes, tell, tells, than, thank, thanks, that, thats, the, their, theirs, them, themselves, then, there, theres, these, they, theyd
theyll, theyre, theyve, thing, things, think, this, those, though, through, to, too, toward, towards, type, types, under, until, up
upon, us, use, used, uses, using, very, via, want, wants, was, wasnt, way, ways, we, wed, well, were, weve, werent, what, whats
whatever, when, where, wheres, whether, which, while, who, whos, whoever, whole, whom, whose, why, will, wish, with, within, without
wont, work, works, would, wouldnt, yes, yet, you, youd, youll, youre, youve, your, yours, yourself, yourselves, aint, mightnt, mustnt
neednt, shant, hows, whod, wholl, whys, thatd, thatll, therell, whatd, whatll, whens, shouldve, wouldve, couldve, mightve, mustve, gonna
gotta, wanna, lemme, dunno, ya, yall, ah, aha, hm, hmm, huh, uh, um, wow, yo, yay, haha, lol, btw, imo, idk, fyi, pls, plz, plss, thx
ty, tnx, cheers, hiya, howdy, greetings, dear, folks, guys, mate, everybody, everyone, sorry, excuse, pardon, kindly, appreciate
appreciated, hopefully, hope, actually, basically, literally, honestly, anyway, question, questions, wonder, wondering, curious, asking
asked, asks, telling, told, knowing, knows, explained, explaining, explains, understand, wanted, wanting, trying, yeah, yep, yup, nope
nah, alright, sure, okey, per
`,
  negations: `
// What denies a statement, in any inflection; '=word' only as it is written.
not, no, never, none, nor, neither, nobody, nothing, nowhere, cannot, can't, won't, don't, doesn't, isn't, aren't, wasn't
weren't, didn't, shouldn't, mustn't, couldn't, wouldn't, hasn't, haven't, hadn't, needn't, ain't, hardly
scarcely, rarely, seldom, =barely, unable, fail, failure, refuse, lack, no longer, neglect, cease
// Deny what follows them and say the rest.
except: without, unless, except, excepting, other than, apart from
`,
  affirmations: `
// Hold a word that denies, and deny nothing.
not only, not just, not limited to, not hesitate, don't hesitate, no of, no matter, whether or not, not least, not to mention, no doubt
no wonder, nothing but, no problem, last but not least, why not, if not, no one but, no later than, no more than, not more than
no less than, not less than, no fewer than, no earlier than, no longer than, not exceed, no charge, no extra cost, no additional cost
at no cost, at no charge
`,
  opposites: `
// Sides that exclude each other, '|' between them; '#' is any figure, '=word' only as it is written. 'only' and 'general' have a name: a sentence may not add these, nor leave 'only' out.
more than #, over #, above #, exceed #, at least, minimum, a minimum of, no less than, not less than, no fewer than, # or more, no earlier than, not before, longer than #, larger than #, greater than #, bigger than #, higher than #, starting from #, starting at # | less than #, fewer than #, under #, below #, at most, maximum, a maximum of, up to #, no more than, not more than, not exceed, # or less, # or fewer, within #, limited to, no later than, no longer than, shorter than #, smaller than #, lower than #
free, free of charge, at no cost, no charge, at no charge, no extra cost, no additional cost | for a fee, chargeable, at extra cost, surcharge, extra charge
unlimited, without limit, lifetime |; only: only, =solely, exclusively, nothing but, alone, except |; guarantee, guaranteed |
general: any, anyone, anybody, whole, entire, both, either, alike, whether or not, regardless of, no matter, always, everything |
immediately, instantly, at once, straight away |
before, prior to, ahead of, until, by the end of | after, following the, since
more than, longer than, larger than, greater than, above, exceed | less than, fewer than, shorter than, smaller than, below
increase, rise, grow, raise | decrease, reduce, drop, fall, decline, lower, shrink; first | last, final, second
next, following month, following year, following week | previous, preceding; faster, fastest, quicker | slower, slowest
keep, retain, preserve, store | remove, delete, discard, erase, destroy; sign in, log in, check in | sign out, log out, check out
higher, highest | lower, lowest; longest | shortest; largest, biggest | smallest
include, contain, cover, inclusive | exclude, exclusive, omit, leave out
accept, approve, grant, confirm | reject, deny, decline, refuse, turn down
allow, permit, authorize, authorise, welcome | forbid, prohibit, ban, disallow, block, banned, forbidden
open, opening | close, shut, closing; always, at all times | sometimes, occasionally, rarely, only
all, every, everyone, everybody | some, several, half of
=mandatory, =required, compulsory, obligatory, =must, have to, has to, need to, =requires, =require | =optional, =optionally, =voluntary, =may
internal, internally | external, externally; inside | outside; indoors | outdoors
enable, turn on, switch on, activate | disable, turn off, switch off, deactivate; add | remove, delete; create | delete, destroy
begin, start | end, stop, finish, expire; public, publicly | private, privately, confidential
early, earlier, earliest | =late, later, =latest; buy, purchase | sell; incoming, inbound | outgoing, outbound
manual, manually, by hand | automatic, automatically; employer | employee; sender | recipient, receiver; lender | borrower
landlord | tenant; upload | download; encrypt | decrypt, plain text, plaintext; same, identical | different
full-time, full time | part-time, part time; full | partial, part of; online | offline; read | write; gross | net; debit | credit
maternity | paternity; temporary, temporarily | permanent, permanently; newest, most recent, latest | oldest; ascending | descending
domestic, national | international, abroad; north, northern | south, southern; east, eastern | west, western; win | lose
success, succeed | failure; majority | minority; strongest | weakest; cheaper, cheapest | =expensive, dearest; forward | backward
morning | afternoon, evening; safe | dangerous; legal | illegal; male | female; upgrade | downgrade; import | export; lock | unlock
left | right; multiply | divide; paid | unpaid; single | multiple, several; minimum | maximum; on-site, in person, in-person | remote, remotely
connect | disconnect; join | leave; hire | fire, dismiss; directly | indirectly
`,
  joints: `
// A part of a sentence begins before each of these.
and, but, while, whereas, although, though, because, so, which, who, whose, if, when, as well as
including, plus, however, only if, provided
// Before these only a part begins that is denied, or not, by itself.
part: without, unless, except, rather than, instead of, since, until, before, after, where, as, that, then, however, neither, not even
`,
  discourse: `
// How an answer is put, not what it says: these need no evidence.
additionally, furthermore, moreover, therefore, thus, hence, overall, typically, generally, specifically, particularly, especially, various
several, different, certain, following, regarding, concerning, respective, respectively, instance, include, including, consider, note, noted
important, importantly, essentially, essential, indeed, certainly, definitely, absolutely, simply, remember, keep, mind, summary, conclusion
short, brief, general, according, based, due, ensure, provide, allow, making, well, good, great, lot, related, relevant, mentioned
aforementioned, stated, states, refer, refers, known, called, another, able, possibly, potentially, likely, usually, commonly, currently
additional, number, aspect, aspects, factor, factors, role, significant, significantly, mainly, primarily, key, main, process, context, case
cases, terms, term, part, e.g, i.e, eg, ie, come, said, feel, become, put, try, involve, involves, involving, depend, depending, back
information, details, detail, individual, individuals, people, person, day-to-day, step, steps, next, finally, meanwhile, instead, even
happy, glad, correct, right, course, offer, offers, enable, enables, describe, described, discuss, discussed, vary, varies, crucial, vital
necessary, beneficial, useful, helpful, common, popular, specific, available, aim, aims, create, creates, creating, working, lastly, firstly
secondly, thirdly, unfortunately, fortunately, ideally, essence, contrast, addition, follow, follows, environment, place, places, together
separately, ensuring, providing, offering, allowing, enabling, pm
`,
  numbers: `
// Figures that people write as words; without accents.
0: zero; 0.5: half; 1: one, once; 2: two, twice, couple, double; 3: three, thrice, triple, third; 4: four, fourth; 5: five, fifth
6: six, sixth; 7: seven, seventh; 8: eight, eighth
9: nine, ninth; 10: ten, tenth; 11: eleven; 12: twelve, dozen; 13: thirteen; 14: fourteen, fortnight; 15: fifteen; 16: sixteen; 17: seventeen
18: eighteen; 19: nineteen; 20: twenty; 30: thirty; 40: forty; 50: fifty; 60: sixty; 70: seventy; 80: eighty; 90: ninety; 100: hundred
1000: thousand
`,
  measures: `
// Units, days and months under the name that all languages share; without accents. One that is marked '?' is one only beside another.
ms: millisecond, milliseconds; s: seconds; minute: minute, minutes; hour: hour, hours, hourly, hrs; day: day, days, daily
week: week, weeks, weekly; month: month, months, monthly, mos; quarter: quarter, quarters, quarterly
year: year, years, yearly, yr, yrs, annual, annually, annum; decade: decade, decades
business?: business, working; business: weekday, weekdays, workday, workdays, workweek; calendar?: calendar; weekend: weekend, weekends
%: percent; $: dollar, dollars; €: euro, euros; ¥: yen, yuan; cent: cents; byte: byte, bytes; kb: kilobyte, kilobytes; mb: megabyte, megabytes
gb: gigabyte, gigabytes; tb: terabyte, terabytes; km: kilometer, kilometers, kilometre, kilometres; mile: mile, miles; m: meters, metres
kg: kilogram, kilograms; thousand: thousand, thousands; million: million, millions; billion: billion, billions
monday: monday, mondays; tuesday: tuesday, tuesdays; wednesday: wednesday, wednesdays; thursday: thursday, thursdays
friday: friday, fridays; saturday: saturday, saturdays; sunday: sunday, sundays
january: january, jan; february: february, feb; march: March; april: april, apr; may: May; june: june; july: july; august: August
september: september, sept; october: october, oct; november: november, nov; december: december, dec; tomorrow: tomorrow
yesterday: yesterday
`,
  synonyms: `
// Words and short phrases that may stand for one another: no opposites, no wider terms.
money back, refund, reimbursement, repay
how much, price, cost, fee, charge, rate
cheap, inexpensive, affordable, low cost, low price
free, free of charge, no cost, at no charge, complimentary, gratis, without charge
discount, reduced price, price reduction, rebate, money off, lower price
pay, paid, payment
bill, invoice
receipt, proof of purchase, proof of payment
late payment, overdue, past due, outstanding, unpaid, arrears
due date, payment deadline, payable by, payment terms
fraud, scam, fraudulent, swindle
plan, subscription, package, tier
upgrade, higher plan, bigger plan, move up
downgrade, lower plan, smaller plan, cheaper plan
cancel subscription, unsubscribe, stop subscription, end subscription, cancel plan, end my plan
cancel, terminate, call off, end the contract, stop the subscription
cancellation, termination, end of contract, contract termination
contract, agreement
terms, terms of service, terms and conditions, terms of use, tos
policy, rules, regulations
warranty, guarantee
required, mandatory, compulsory, obligatory
buy, bought, purchase, order
client, buyer, shopper
ship, dispatch, send out
shipping, delivery, deliver
parcel, package, shipment, packet
return, send back, give back, bring back
exchange, swap, replace
damaged, broken, broke, defective, faulty, out of order
lost, missing, not arrived, never arrived, did not arrive
out of stock, sold out, unavailable, backorder, back-ordered
time off, leave, vacation, holiday, pto, annual leave, paid time off, days off
sick leave, sick day, sick pay, medical leave, illness, sickness
parental leave, paternity leave, baby, newborn, new parent, family leave, maternity leave
prescription, medication, medicine, drug
salary, pay, wage, compensation, remuneration, paycheck
bonus, incentive, performance pay
overtime, extra hours, additional hours, time in lieu, comp time
expense, expenditure, business cost
business trip, travel, business travel, work trip
hotel, accommodation, lodging, overnight stay
meal, food, lunch, dinner, breakfast
vehicle, car, automobile
laptop, computer, notebook, macbook, pc, device
home office, work from home, remote work, wfh, telework, working remotely, telecommute
workplace, office, work site, premises
employee, staff, worker, staff member, personnel, workforce
coworker, colleague, teammate, team member
boss, manager, supervisor, line manager
quit, resign, leave the company, hand in notice, offboarding
probation, probationary period
working hours, office hours, work time, business hours
training, course, learning, education, professional development
complaint, grievance, complain
log in, sign in, login, authenticate, sign on, logon, log on
log out, sign out, logout, sign off, logoff, log off
sign up, register, signup, create an account, registration, open an account, enroll
account, profile
delete account, close account, remove account, account deletion, erase my account
password, passcode, passphrase
reset password, forgot password, change password, forgotten password, lost password, password recovery
locked out, cannot log in, lost access, account locked, unable to sign in
username, user name, nickname, handle, login name, screen name, display name
email, e-mail, mail, email address
2fa, mfa, two-factor authentication, multi-factor authentication, two factor, two-step verification, two step
verify, verification, confirm, validate
invite, ask to join
member, participant
personal data, personal information, pii, user data, personal details
privacy, data protection, data privacy
hack, compromise, break into, compromised account, hijack
data breach, data leak, security incident, leak
encrypt, encryption, cipher, end-to-end encryption, e2ee
admin, administrator
permission, access right, privilege
allow, permit, enable, grant, permission
forbid, forbidden, prohibit, ban, not allowed, disallow, not permitted
approve, authorize, accept, sign off
deny, denial, reject, decline, refuse, turn down
message, text message, dm, direct message, chat message
chat, conversation, messaging, instant message
reply, respond, response, answer
attachment, attached file, file upload
notification, notify, alert
mute, silence, turn off notifications, snooze, do not disturb, dnd
call, phone call, ring, voice call, telephone call
meeting, video meeting, conference
record, capture
microphone, mic
photo, picture, image
file, document
folder, directory
upload, add a file, send a file
download, save to my device, save a copy
function, method, procedure, routine
option, setting, preference, configuration, config
configure, set up, setup, config
install, set up, setup
start, begin, began, launch, boot, start up, startup
restart, reboot, start again, relaunch
server, backend, back end, server side
bug, defect, issue, glitch, fault
crash, fail, failure, error, exception
hang, hung, freeze, froze, frozen, stuck, unresponsive, timeout
timeout, time out, deadline exceeded, takes too long
retry, try again, reattempt
performance, speed, latency, throughput
slow, sluggish, laggy, bad performance
version, release number, revision
update, upgrade, newer version, latest version
job, task, background task
database, db, data store, datastore
rate limit, throttle, too many requests, 429
minimum, min, at least, lower limit
integrate, connect, hook up
support, customer service, customer support, help desk, helpdesk, support team
support ticket, open a ticket, support request, open a case
problem, issue, trouble, difficulty
supported browsers, browser, web browser
backup, back up, copy of my data, snapshot
retention, storage period, how long kept, how long stored
export data, data export, download my data, data portability
docs, documentation, handbook, user manual, reference guide, user guide
analyse, analyze, analysis
get rid of, delete, remove, erase, discard
turn off, switch off, disable, deactivate
turn on, switch on, enable, activate
fix, repair, resolve, solve, solution
keep, kept, retain, store, save, hold on to, retention
change, modify, edit, alter, update, adjust, amend, modification
build, built
choose, chose, chosen, select, pick, choice
found, locate, search, look for, look up
get in touch, contact, reach, contact us
occur, take place
increase, raise, bigger, larger, expand
decrease, reduce, lower, smaller, shrink, cut down
restore, recover, bring back, get back, recovery
receive, obtain
prove, proof, evidence
lose, lost, loss
avoid, prevent, keep from, prevention
compare, comparison, difference, versus
replace, substitute, swap
request, inquire, enquire, inquiry
define, definition, meaning
export, extract, take out data
extend, extension, prolong, lengthen
expire, expiry, run out, no longer valid, lapse
qualify, eligible, qualification, who can get
exclude, exclusion, exception, not covered
quick, fast, rapid, speedy
normal, usual, regular, typical
daily, per day, every day, each day
weekly, per week, every week, each week
monthly, per month, every month, each month
yearly, annual, per year, every year, each year
how often, frequency, how frequently, how many times
how long, duration, length of time, how many days, length
deadline, due date, cut-off, time limit, latest date
immediately, instantly, right away, at once, straight away, right now
weekday, business day, working day, workday
opening hours, business hours, hours of operation
limit, cap, maximum, max, quota, upper limit
argument, parameter, param, arg
default, preset, standard value, out of the box
environment variable, env var, env, dotenv
environment, env
api key, access key, secret key
integer, int, whole number
boolean, bool, true or false, flag
null, undefined, nil, empty value
module, library, package
sdk, software development kit, client library
api, application programming interface, endpoint
framework, toolkit
plugin, plug-in, extension, add-on, addon
dependency, required package
loop, iterate
async, asynchronous, non-blocking
callback, handler, listener, hook
middleware, interceptor
override, overwrite, replace the default
inherit, derive, subclass
deprecated, obsolete, outdated, legacy, no longer supported
breaking change, incompatible change, backward incompatible, not backward compatible
snippet, code sample, sample code, code example
boilerplate, starter, scaffold, template project
syntax, grammar, notation
regex, regular expression, regexp
docstring, jsdoc
instantiate, create an instance
define, declare, specify, definition
invoke, call a function, trigger
run, ran, execute, launch, start
parse, parser, read in
serialize, serialise, stringify, marshal
convert, conversion, transform
format, layout
command line, cli, shell, console
script, shell script
wildcard, glob
uninstall, remove package, remove the app
stop, abort, cancel, kill, shut down, shutdown, halt
build, compile, bundle
deploy, deployment, host, publish, go live, ship to production, roll out
prod, production environment, live environment, live system
staging, test environment, preview environment, sandbox
development, dev, local development
localhost, on my machine, local machine, local development
self-host, on-premise, own server, on my own infrastructure
frontend, front end, client side
serverless, lambda, cloud function, edge function
docker, docker image, docker container
kubernetes, k8s
cloud, saas
scale, scalability, handle more load, autoscale
load balancer, distribute traffic
error message, error code, status code
error handling, handle errors, catch errors, catch exceptions, try catch
throw, raise an error, raise an exception
backoff, wait between retries, exponential backoff
fallback, alternative, backup option, fall back
debug, troubleshoot, diagnose, inspect
log, logger, log output
tracing, telemetry, observability, span
monitoring, observe, watch
health check, heartbeat, readiness probe, liveness probe
unit test, automated test, test suite
mock, stub, test double
evaluate, eval, score, benchmark
lint, linter, code style, static analysis
ci, continuous integration, pipeline, ci/cd
memory leak, out of memory, oom, memory usage
cpu, processing power
disk, disk space, storage space
repo, repository, git repository
merge request, pull request
release, new version
changelog, release notes, what's new, change log
migrate, move from, switch from, port
roll back, rollback, revert, undo
daemon, background process, background job, service process
cron, scheduled job, scheduled task, run on a schedule, recurring job, scheduler
message queue, job queue, task queue
batch, bulk, mass operation, many at once, in bulk
postgres, postgresql
row, record, entry
index, search index
query, search request, lookup
sorted, order by, sort order
paginate, paging, page through, cursor
schema, data model, structure
validate, check input, zod
excel, xlsx, spreadsheet
cache, memoize
invalidate cache, clear cache, purge cache, flush
persist, store permanently, durable
storage, data storage
file system, filesystem
object storage, s3, bucket, blob
timestamp, date and time, datetime
time zone, timezone, utc
uuid, unique id, unique identifier
encoding, charset, character set
compress, compression, zip, gzip
checksum, hash, digest
request, api call, http request, api request
response, reply from the server, api response
header, http header
body, payload, request body
query string, url parameter, query parameter, search params
websocket, web socket, real-time connection
sse, server-sent events, event stream
webhook, callback url, http callback, event notification
event listener, event handler, subscribe to events, event subscription
real time, realtime, instantly
pubsub, publish subscribe, message broker, event bus
proxy, reverse proxy, gateway
dns, domain name, domain
https, ssl, tls
cors, cross origin
redirect, forward to, redirection
bandwidth, traffic
auth token, access token, bearer token, api token, api key, credentials
refresh token, token renewal, renew token
jwt, json web token
oauth, authorization flow, connect account
scope, api permission
token expired, expired token, invalid token
auth, authentication, authorization
ai, artificial intelligence, machine learning
agent, ai agent, assistant
prompt, instructions, system prompt, system message
tool, tool call, function calling, tool use
context window, token limit, context length, maximum context
embedding, vector, embed
vector database, vector store, pgvector, vector search
rag, retrieval augmented generation, knowledge base, retrieval
rerank, re-rank
workflow, pipeline, flow, process steps
suspend, pause, human in the loop, wait for approval
resume, continue, carry on, pick up again
conditional branching, if else, conditional logic
hallucinate, made up answer, invented answer, fabricate
fine-tune, finetune, train a model
model provider, llm provider, model vendor
guardrail, safety filter, content filter
multi-agent, several agents, agent network, supervisor agent, sub-agent
mcp, model context protocol
inference, generate text, completion
dataset, test data, training data
image recognition, vision model, multimodal, image input
`,
  'compound-parts': '',
};

export const enTalk = {
  'small-talk': `
// What people say to an assistant when they ask the documents nothing: words in order, 'a/b' one of several, '?' after what may be missing.
// No word that a question about a product could be made of.
beside: and, but, so, then, well, um, really, very, again, already, now, just, too, also, everyone, everybody, guys, folks, all, there, sir, madam, mate, man, buddy, dear, friend, friends, my friend, today, so/very much, for now/everything/that/this/it/today, for your/the quick/fast/great/kind? help/answer/reply/response/explanation/info/information/support/time, for helping me/us? out?, a lot, pls, plz, youre right
greeting: hiya, heya, howdy, yo, greetings, sup, good morning/afternoon/evening/day, morning, whats/what up, how are/r you/u/things doing? today?, hows/how is? it/everything going, how do you do, how have you been, nice/good/great/pleased to meet/see you, im/i am? fine/good/great/well, and/how/what about? you, happy new year, happy monday/friday
thanks: thank you/u, ty, tnx, thanx, thankyou, tysm, cheers, thanks/thx a lot/bunch/million/ton, many thanks, much appreciated, appreciated, i? appreciate it/that, great/good/nice/excellent/amazing/awesome job/work/answer/explanation/reply, great, good, nice, cool, awesome, amazing, excellent, wonderful, fantastic, brilliant, lovely, superb, sweet, wow, congrats, congratulations, interesting, helpful, well done, thats/that is/was? so/very/really/exactly/all? great/good/nice/cool/perfect/helpful/fine/right/correct/clear/it/all, that/this/it really? helps/helped/works/worked me? a? lot?, thats? that? is? exactly/just what i needed/wanted, youre/you are so/very/the? best/great/awesome/amazing/helpful/welcome, you rock, i love it, works like a charm, sounds/looks good/great, lgtm, alright, all right/good/clear/set, sure, fine, understood, noted, roger, agreed, exactly, indeed, yeah, yea, yup, ya, nah, absolutely, definitely, of course, i see/understand/agree/know, i? got it, gotcha, makes/make sense, fair enough, no problem/worries, np, never mind, nvm, not at all, oh, ah, aha, hm, hmm, oops, lmao, rofl, omg, sorry about? that?, my bad, excuse me, one/a/just moment/second/sec/minute
bye: goodbye, good bye/night, byebye, cya, ttyl, farewell, see/c you/ya/u later/soon/tomorrow/around?, talk/speak to? you? later/soon/tomorrow, take care, have a good/nice/great/lovely/wonderful day/evening/night/weekend/one/time, thats/that is? all/it/everything for? now/today?, no more questions, nothing else, you too, same to you, gotta/got to? go, until next time
help: help/assist me/us, who/what are/r you/u exactly/really?, whats/what is/s? your name, what can/could/do you/u do for? me/us?, how can/could/do you/u help me/us?, what can you help me/us? with, what can/should/may i/we ask you?, how can/do i/we use you, what are you able/capable to/of do/doing?, what are your capabilities/skills/topics, what topics/subjects/documents do you know/cover/have, what do you know, can/could/would/will you/u/anyone/someone please? help me/us? out? with? something?, i/we need/want some/your? help, i/we have/got/ve a/another/some? quick/small/simple? question/questions for? you?, quick question, can/could/may i/we ask you? a? quick? question/something, are/r you/u/this a/an? real? bot/robot/human/person/ai/machine/chatbot/there/real/alive, are/r you/u a/an? human/bot/robot/person or a? human/bot/robot/person, is this/it a/an bot/robot/human/ai/chatbot, is anyone/anybody/someone there/here, anyone/anybody there/here, tell me more? about yourself, introduce yourself
`,
  'person-request': `
// What people say when they want a person instead of the assistant. A message counts if one sentence consists of these phrases and of small
// talk: a 'person' with a 'contact' or a 'want', or a 'whole' request. A 'near' word stands before a person; words after 'about' are free.
beside: please, now, right now, immediately, asap, urgently, instead, directly, here, live, in person, in english, actually, not a/an/another/this bot/robot/machine/chatbot/computer/ai, instead of a/this? bot/robot/machine/chatbot/computer/ai, over/on the? phone, from/on/in/at your/the? customer? support/service/sales/help team/staff/desk?, from your/the team/company/staff, for help
want: i/we want/need to?, i/we do want/need to?, i/we would? really/just/still? want/need/like/love/prefer/rather to?, id/wed really/just? like/love/prefer/rather to?, i/we have/got to, i/we must, im/i am trying to, can/could/may i/we just? get/have/be/please?, can/could/will/would you/u please? help? me?, let me/us, is it possible to, is there a/any? way to, get/give/find/bring/send me/us, want/need/would like to?, i/we demand/request/insist on?, may i
contact: talk, speak, chat, talking, speaking, get in touch/contact, get/be? connected, connect/transfer/put/pass/forward/switch/redirect/route/hand me/us over/through?, hand/pass/forward/escalate this/it/me? over?, transferred, connected, escalated, forwarded, escalate, have a/the? chat/conversation/word, reach
near: a, an, another, the, your, real, actual, live, living, proper, with, to, from, any
person: person, human, human being, people, agent, support agent, service agent, representative, rep, operator, advisor, adviser, employee, staff member, support person, manager, supervisor, colleague, member of staff, member of the/your team, someone else/real/human?, somebody else/real/human?, anyone, anybody, customer service/support/care, support team/staff
whole: real/live/actual human/person/agent please?, human agent/support/being/help please?, live chat/support please?, human/operator/representative please?, agent/person/rep please, can/could/will/would someone/somebody/anyone/you please? call/phone/ring/contact me/us back?, please call/phone/ring me/us back?, how can/do/could i/we talk/speak/chat to/with a/an real/live/actual? person/human/agent, how can/do/could i/we talk/speak to/with someone, human handoff/takeover please?
about: about, regarding, concerning, because, since, who/that can/could/will/would/knows/understands/actually, for my/this/that, with my/this
`,
  suggestions: `
// How headings become questions. 'topic' and 'steps' are templates; 'asking' begins a question without a question mark; 'generic' headings
// name no subject; a heading with a word of 'clause' is a sentence or is addressed to someone; 'mine' replaces 'your';
// a verb of 'nouns' may be a noun, unless a word of 'objects' follows.
topic: What should I know about {}?; steps: How do I {}?; how: how to; mine: your=my, yourself=myself
asking: what is, what are, what does, how do, how does, how can, how much, how many, how long, how often, why is, why are, why does, why do, when is, when are, when do, when does, when can, who is, who can, where is, where can, where do, can i, do i, is there, are there, is it, does the, can the, is the
verbs: add, activate, apply, archive, assign, book, buy, cancel, change, check, choose, claim, close, configure, connect, contact, copy, create, customize, deactivate, delete, deploy, disable, download, edit, enable, export, find, fix, import, install, invite, join, log, manage, migrate, move, open, order, pay, print, protect, publish, register, remove, rename, renew, replace, report, request, reschedule, reset, restart, restore, return, revoke, rotate, run, save, schedule, search, send, share, sign, start, stop, submit, switch, transfer, troubleshoot, uninstall, unsubscribe, update, upgrade, upload, verify, view, handle
generic: advanced, basic, basics, known, problems, definition, definitions, type, constructor, introduction, guide, common, popular, mistakes, best, practices, guidance, integration, object, structure, additional, main, new, simple, complete, specific, the, and, of, a, overview, introduction, contents, table of contents, summary, conclusion, background, appendix, references, see also, further reading, notes, note, examples, example, faq, frequently asked questions, questions, getting started, get started, quick start, quickstart, next steps, about, resources, links, contact, contacts, changelog, license, usage, options, configuration, configuration options, configuration example, configuration examples, general, miscellaneous, other, others, details, more information, related, related topics, related articles, index, home, purpose, scope, definitions, glossary, documentation, docs, steps, rules, setup, installation, requirements, prerequisites, parameters, services, issues, features, description, credits, acknowledgements, authors, contributors, contributing, feedback, support, welcome, welcome back, read more, learn more, key points, quick links, additional resources, additional information, useful links, known issues, release notes, table of content, tldr, before you start, how it works, why, how, what, when, where, who, basic usage, basic example, code example, code examples, api, api reference, methods, properties, types, return value, advanced, other resources, timeline, document history, revision history, final thoughts, key takeaways, takeaways
clause: about, what, how, when, where, which, who, why, recommend, i, we, us, our, ours, my, me, you, it, they, them, he, she, him, her, his, hers, this, these, those, is, are, was, were, am, be, do, does, did, don't, can, cannot, can't, could, must, should, will, would, shall, may, might, not, if, please, let's, here, there, step, steps, part, chapter, section, figure, table, phase, appendix, lesson, module, exercise, version, tip, tips, example, examples, case, new, update, updates, mr, mrs, ms, dr, dear, hi, hello, vs, etc, internal, confidential, todo, draft, deprecated
pointing: it, one, its, this, that, these, those, they, them, their, he, she, him, her, there, we, us, our, here
nouns: archive, book, change, check, claim, contact, copy, download, export, find, fix, import, join, log, move, order, pay, print, report, request, return, run, save, schedule, search, send, share, sign, start, stop, switch, transfer, update, upgrade, upload, view, access, work
objects: a, an, the, your, to, in, into, on, onto, out, up, off, from, for, with, by, and, or, multiple, another, one, two, it, through, all, any
`,
};

/**
 * English near-synonyms of everyday wording: verbs, adjectives, times. One group per line, entries separated by commas.
 * Refuses opposites, wider terms and function words.
 */

const verbs = `
get rid of, delete, remove, erase, discard
turn off, switch off, disable, deactivate
turn on, switch on, enable, activate
fix, repair, resolve, solve, solution
keep, kept, retain, store, save, hold on to, retention
speak, spoke, spoken, talk
change, modify, edit, alter, update, adjust, amend, modification
build, built
add, append, insert
choose, chose, chosen, select, pick, choice
found, locate, search, look for, look up
get in touch, contact, reach, contact us
view, display
exit, quit
try, attempt
occur, take place
close, shut
look at, view
increase, raise, bigger, larger, expand
decrease, reduce, lower, smaller, shrink, cut down
finish, complete, conclude, get done
undo, revert, reverse, roll back
restore, recover, bring back, get back, recovery
move, transfer, relocate
copy, duplicate, clone
rename, change the name, new name
send, sent, submit, transmit
receive, obtain
prove, proof, evidence
write, wrote, written, compose
forget, forgot, forgotten
lose, lost, loss
hear, heard
avoid, prevent, keep from, prevention
protect, secure, safeguard
combine, merge, join together, unify, consolidate
separate, split, divide
compare, comparison, difference, versus
connect, link
disconnect, unlink, detach
bring, brought
test, try out
check, verify, inspect, examine, review
wait, delay
hide, hid, hidden, conceal
replace, substitute, swap
request, inquire, enquire, inquiry
ask for, request
submit, submission, hand in, turn in
describe, description, explanation
define, definition, meaning
decide, decision, determine
improve, enhance
repeat, again and again
skip, leave out, omit, ignore
count, number of, tally
calculate, work out
measure, keep track
handle, deal with
suggest, recommend, advise, advice
expect, anticipate
attend, take part, participate
hold, held
enter, type in, fill in, input, key in
fill out, complete a form, fill in
print, hard copy, paper copy
export, extract, take out data
back up, backup, safety copy, make a copy
synchronize, sync, synchronise, keep in sync
archive, put in storage
extend, extension, prolong, lengthen
expire, expiry, run out, no longer valid, lapse
qualify, eligible, qualification, who can get
exclude, exclusion, exception, not covered
exceed, go over, above the limit, more than allowed
reach the limit, run out, use up, exhaust
notify, let someone know, notification
escalate, raise to a manager
complain, complaint, dissatisfied, unhappy
apologize, apologise
ad, advert, advertisement, commercials
borrow, lend, loan
throw away, dispose, trash
recycle, reuse
clean up, cleanup, tidy, purge, destroy, destruction, wipe`;

const qualities = `
several, multiple, more than one, various
big, large, huge
small, tiny
empty, blank
correct, accurate
similar, alike
visible, shown
suspend, suspension
quick, fast, rapid, speedy
slow, takes long, long time
easy, simple, straightforward
difficult, complicated, complex
essential, crucial, critical, vital
urgent, high priority, emergency
wrong, incorrect, mistaken, invalid
classify, classification, categorize, categorise
strange, weird, odd, unusual
normal, usual, regular, typical
success, succeed
new, recent, latest, newest
previous, former, earlier
current, existing
necessary, needed, required
impossible, not possible, cannot be done
allowed, permitted, acceptable
consume, consumption
invisible, hidden, not shown
weight, weigh, how heavy
full, no space left, at capacity
partial, incomplete, in part
automatic, auto
manual, by hand
temporary, temporarily, for a while, short-term
permanent, forever, for good
safe, secure
dangerous, risky, hazardous, unsafe
in charge, person responsible
popular, most used
extra, additional
maximum, max, longest, largest, highest
minimum, min, shortest, smallest, lowest, least
worldwide, global, all countries
abroad, overseas, another country, foreign country`;

const times = `
daily, per day, every day, each day
weekly, per week, every week, each week
monthly, per month, every month, each month
quarterly, per quarter, every three months, every quarter
yearly, annual, per year, every year, each year
twice a year, biannual, semiannual, every six months
hourly, per hour, every hour
how often, frequency, how frequently, how many times
how long, duration, length of time, how many days, length
deadline, due date, cut-off, time limit, latest date
immediately, instantly, right away, at once, straight away, right now
early, ahead of time, beforehand
late, delayed, behind schedule
until when, valid until, expiry date, expiration date, expires
start date, effective date, begins on
end date, last day, ends on
weekend, saturday, sunday
weekday, business day, working day, workday
opening hours, business hours, hours of operation
overnight, at night, night
in the future, upcoming, soon
schedule, timetable
one month, 30 days, thirty days, four weeks
one year, 12 months, twelve months, 365 days
one week, 7 days, seven days
one day, 24 hours`;

export const englishEveryday: string = [verbs, qualities, times].join('');

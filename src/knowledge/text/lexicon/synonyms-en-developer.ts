/**
 * English near-synonyms of developer documentation, one group per line, entries separated by commas.
 * Refuses opposites, wider terms, and names of rival products as if they were the same.
 */

const code = `
function, method, procedure, routine
argument, parameter, param, arg
option, setting, preference, configuration, config
configure, set up, setup, config
default, preset, standard value, out of the box
variable, var
environment variable, env var, env, dotenv
environment, env
constant, fixed value
property, attribute, field
api key, access key, secret key
return value, result, output
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
concurrent, parallel, simultaneous, at the same time
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
source code, codebase, source
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
path, file path, location of the file
wildcard, glob`;

const running = `
install, set up, setup
uninstall, remove package, remove the app
start, begin, began, launch, boot, start up, startup
stop, abort, cancel, kill, shut down, shutdown, halt
restart, reboot, start again, relaunch
build, compile, bundle
deploy, deployment, host, publish, go live, ship to production, roll out
prod, production environment, live environment, live system
staging, test environment, preview environment, sandbox
development, dev, local development
localhost, on my machine, local machine, local development
self-host, on-premise, own server, on my own infrastructure
server, backend, back end, server side
frontend, front end, client side
serverless, lambda, cloud function, edge function
docker, docker image, docker container
kubernetes, k8s
cloud, saas
scale, scalability, handle more load, autoscale
load balancer, distribute traffic
bug, defect, issue, glitch, fault
crash, fail, failure, error, exception
hang, hung, freeze, froze, frozen, stuck, unresponsive, timeout
timeout, time out, deadline exceeded, takes too long
error message, error code, status code
error handling, handle errors, catch errors, catch exceptions, try catch
throw, raise an error, raise an exception
retry, try again, reattempt
backoff, wait between retries, exponential backoff
fallback, alternative, backup option, fall back
debug, troubleshoot, diagnose, inspect
log, logger, log output
tracing, telemetry, observability, span
monitoring, observe, watch
metric, statistics, stats, analytics
health check, heartbeat, readiness probe, liveness probe
unit test, automated test, test suite
mock, stub, test double
evaluate, eval, score, benchmark
lint, linter, code style, static analysis
ci, continuous integration, pipeline, ci/cd
performance, speed, latency, throughput
speed up, faster, performance, optimize, latency, optimise
slow, sluggish, laggy, bad performance
memory leak, out of memory, oom, memory usage
cpu, processing power
disk, disk space, storage space
repo, repository, git repository
merge request, pull request
release, new version
version, release number, revision
changelog, release notes, what's new, change log
migrate, move from, switch from, port
update, upgrade, newer version, latest version
roll back, rollback, revert, undo
daemon, background process, background job, service process
job, task, background task
cron, scheduled job, scheduled task, run on a schedule, recurring job, scheduler
message queue, job queue, task queue
batch, bulk, mass operation, many at once, in bulk`;

const data = `
database, db, data store, datastore
postgres, postgresql
row, record, entry
column, field
index, search index
query, search request, lookup
filter, narrow down
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
checksum, hash, digest`;

const network = `
request, api call, http request, api request
response, reply from the server, api response
header, http header
body, payload, request body
query string, url parameter, query parameter, search params
route, path, endpoint, url
rate limit, throttle, too many requests, 429
limit, cap, maximum, max, at most, quota, upper limit
minimum, min, at least, lower limit
streaming, chunk by chunk, incrementally
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
integrate, connect, hook up`;

const ai = `
ai, artificial intelligence, machine learning
llm, language model, model, large language model, ai model
agent, ai agent, assistant
prompt, instructions, system prompt, system message
tool, tool call, function calling, tool use
memory, conversation history, message history, chat history, remember conversation
context window, token limit, context length, maximum context
embedding, vector, embed
vector database, vector store, pgvector, vector search
rag, retrieval augmented generation, knowledge base, retrieval
cut, split, chunk
rerank, re-rank
workflow, pipeline, flow, process steps
step, phase
suspend, pause, human in the loop, wait for approval
resume, continue, carry on, pick up again
conditional branching, if else, conditional logic
hallucinate, made up answer, invented answer, fabricate
temperature, randomness
fine-tune, finetune, train a model
model provider, llm provider, model vendor
guardrail, safety filter, content filter
multi-agent, several agents, agent network, supervisor agent, sub-agent
mcp, model context protocol
inference, generate text, completion
dataset, test data, training data
image recognition, vision model, multimodal, image input`;

export const englishDeveloper: string = [code, running, data, network, ai].join('');

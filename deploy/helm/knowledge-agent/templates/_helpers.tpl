{{- define "knowledge-agent.name" -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "knowledge-agent.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "knowledge-agent.labels" -}}
{{ include "knowledge-agent.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "knowledge-agent.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "knowledge-agent.hasDatabase" -}}
{{- if or .Values.database.url .Values.database.existingSecret }}true{{ end }}
{{- end }}

{{- define "knowledge-agent.hasOwnSecret" -}}
{{- if or .Values.secret.values .Values.database.url }}true{{ end }}
{{- end }}

{{/* A whole number of the values as digits: Helm reads it as a floating-point number and would write 1e+06. */}}
{{- define "knowledge-agent.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* Refuses values that the server would refuse at its start, or that would lose data. */}}
{{- define "knowledge-agent.check" -}}
{{- if not .Values.image.repository }}{{ fail "There is no public image: build it, push it to your registry, and set image.repository." }}{{ end }}
{{- $own := list "HOST" "PORT" "KNOWLEDGE_DIR" "STATE_DIR" "INDEX_DIR" }}
{{- range $name, $_ := merge dict .Values.settings .Values.secret.values }}
  {{- if has $name $own }}{{ fail (printf "%s is set by the chart: remove it from settings and secret.values." $name) }}{{ end }}
  {{- if eq $name "DATABASE_URL" }}{{ fail "DATABASE_URL belongs to database.url or database.existingSecret." }}{{ end }}
{{- end }}
{{- range $name, $_ := .Values.settings }}
  {{- if regexMatch "_(KEYS?|SECRET|PASSWORD)$" $name }}{{ fail (printf "%s is a secret: move it from settings to secret.values or to the secret of secret.existing." $name) }}{{ end }}
{{- end }}
{{- if and .Values.database.url .Values.database.existingSecret }}{{ fail "Set database.url or database.existingSecret, not both." }}{{ end }}
{{- if not (include "knowledge-agent.hasDatabase" .) }}
  {{- if gt (int .Values.replicas) 1 }}{{ fail "Several replicas need a database: set database.existingSecret or database.url, or replicas: 1." }}{{ end }}
  {{- if not .Values.persistence.enabled }}{{ fail "Without a database, persistence.enabled=false would lose all documents at each restart." }}{{ end }}
{{- end }}
{{- if and .Values.persistence.existingClaim (gt (int .Values.replicas) 1) }}{{ fail "One claim belongs to one server: remove persistence.existingClaim, or set replicas: 1." }}{{ end }}
{{- $given := .Values.secret.values }}
{{- $hasKeys := or .Values.secret.existing $given.API_KEYS $given.JWT_SECRET .Values.settings.JWT_JWKS_URL .Values.settings.API_KEYS_FILE }}
{{- if not (or $hasKeys (has (toString .Values.settings.ALLOW_ANONYMOUS) (list "true" "read"))) }}
  {{- fail "The server needs keys of its callers: set secret.existing, or API_KEYS in secret.values, or JWT_JWKS_URL in settings." }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}{{ fail "An ingress needs a name: set ingress.host." }}{{ end }}
{{- if and .Values.serviceMonitor.enabled (not (and .Values.serviceMonitor.credentials.name .Values.serviceMonitor.credentials.key)) }}
  {{- fail "GET /metrics needs a key: set name and key of serviceMonitor.credentials." }}
{{- end }}
{{- end }}

{{/* Refuses values that would not work together. */}}
{{- define "weir.check" -}}
{{- $notice := .Values.settings.WEIR_DRAIN_NOTICE | default "5s" -}}
{{- $drain := .Values.settings.WEIR_DRAIN | default "30s" -}}
{{- $needed := add (include "weir.seconds" $notice) (include "weir.seconds" $drain) 30 -}}
{{- if lt (int64 .Values.terminationGracePeriodSeconds) $needed -}}
{{- fail (printf "terminationGracePeriodSeconds must be %d or more: WEIR_DRAIN_NOTICE, WEIR_DRAIN and half a minute" $needed) -}}
{{- end -}}
{{- if eq (toString .Values.settings.WEIR_MODE) "local" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) -}}
{{- fail "WEIR_MODE local takes one pod: set autoscaling.enabled to false and replicas to 1" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.config .Values.configExisting -}}
{{- fail "set config or configExisting, not both" -}}
{{- end -}}
{{- if and .Values.secrets.values .Values.secrets.external.enabled -}}
{{- fail "set secrets.values or secrets.external, not both" -}}
{{- end -}}
{{- if and .Values.secrets.external.enabled (not .Values.secrets.external.store.name) -}}
{{- fail "secrets.external.store.name is missing" -}}
{{- end -}}
{{- if and .Values.database.url .Values.database.urlSecret.name -}}
{{- fail "set database.url or database.urlSecret, not both" -}}
{{- end -}}
{{- if and .Values.redis.url .Values.redis.urlSecret.name -}}
{{- fail "set redis.url or redis.urlSecret, not both" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs is missing: the gateway that the route belongs to" -}}
{{- end -}}
{{- if .Values.autoscaling.enabled -}}
{{- include "weir.checkAutoscaling" . -}}
{{- end -}}
{{- include "weir.checkConfig" . -}}
{{- end -}}

{{- define "weir.checkAutoscaling" -}}
{{- if gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas) -}}
{{- fail "autoscaling.maxReplicas must be autoscaling.minReplicas or more" -}}
{{- end -}}
{{- $own := or .Values.autoscaling.cpuPercent .Values.autoscaling.memoryPercent .Values.autoscaling.openCalls -}}
{{- $more := ternary .Values.autoscaling.keda.triggers .Values.autoscaling.metrics .Values.autoscaling.keda.enabled -}}
{{- if not (or $own $more) -}}
{{- fail "autoscaling has nothing to go by: set cpuPercent, memoryPercent or openCalls, or switch it off" -}}
{{- end -}}
{{- if and .Values.autoscaling.keda.enabled .Values.autoscaling.openCalls (not .Values.autoscaling.keda.prometheus) -}}
{{- fail "autoscaling.keda.prometheus is missing, which openCalls needs" -}}
{{- end -}}
{{- end -}}

{{/* Refuses a ConfigMap with secrets. Names are those of weir.yaml whose values are secret. */}}
{{- define "weir.checkConfig" -}}
{{- $config := .Values.config -}}
{{- if kindIs "string" $config -}}
{{- $config = fromYaml $config -}}
{{- if hasKey $config "Error" }}{{ fail (printf "config is not YAML: %s" $config.Error) }}{{ end -}}
{{- end -}}
{{- include "weir.checkSecret" (dict "value" $config "path" "config" "isSecret" false) -}}
{{- end -}}

{{- define "weir.checkSecret" -}}
{{- $path := .path -}}
{{- $isSecret := .isSecret -}}
{{- if kindIs "map" .value -}}
{{- range $name, $value := .value -}}
{{- $named := regexMatch "^(keys?|password|passphrase|secret|token|.*_(secret|token|passphrase|password))$|^secret_key$|(?i:authorization|api[-_]key)$" $name -}}
{{- include "weir.checkSecret" (dict "value" $value "path" (printf "%s.%s" $path $name) "isSecret" (or $isSecret $named)) -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- range .value -}}
{{- include "weir.checkSecret" (dict "value" . "path" $path "isSecret" $isSecret) -}}
{{- end -}}
{{- else if kindIs "string" .value -}}
{{- $isReference := regexMatch "\\$\\{|^(file|exec):|^/" .value -}}
{{- $hasPassword := regexMatch "://[^/@\\s]*:[^/@\\s$]+@" .value -}}
{{- if and .value (or (and $isSecret (not $isReference)) $hasPassword) -}}
{{- fail (printf "%s is a secret, and config is not: write ${VARIABLE} there, and put the variable into secrets" $path) -}}
{{- end -}}
{{- end -}}
{{- end -}}

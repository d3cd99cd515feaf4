package embedded

import (
	"crypto/subtle"
	"slices"
	"strings"
)

// adminChange carries out a command that changes users or roles.
func (c *conn) adminChange(req *adminRequest) resultCode {
	t := c.server.security
	if req.command == adminChangePassword {
		return c.changePassword(req)
	}
	var change func(*adminRequest) resultCode
	switch req.command {
	case adminCreateUser:
		change = t.createUser
	case adminDropUser:
		change = t.dropUser
	case adminSetPassword:
		change = t.setPassword
	case adminGrantRoles, adminRevokeRoles:
		change = t.changeUserRoles
	case adminCreateRole:
		change = t.createRole
	case adminDropRole, adminGrantPrivileges, adminRevokePrivileges, adminSetWhitelist, adminSetQuotas:
		change = t.changeRole
	default:
		return codeSecurityCommand
	}
	if !c.account.allows(permUserAdmin, "", "") {
		return codeRoleViolation
	}
	return change(req)
}

// createUser adds a user with a hashed password, or with none if it is empty: such
// a user logs in by a certificate.
func (t *securityTable) createUser(req *adminRequest) resultCode {
	roles, ok := req.roles()
	if !ok {
		return codeSecurityField
	}
	password := req.fields[adminFieldPassword]
	if len(password) > 0 && !isCredential(password) {
		return codeInvalidPassword
	}
	hash := string(password)
	return t.create(req.text(adminFieldUser), func() string { return hash }, roles)
}

// dropUser removes a user, whose connections count as not logged in from then on.
func (t *securityTable) dropUser(req *adminRequest) resultCode {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.accounts[req.text(adminFieldUser)]
	if a == nil {
		return codeInvalidUser
	}
	a.rules.Store(nil)
	delete(t.accounts, a.name)
	return codeOK
}

// setPassword replaces the password of any user.
func (t *securityTable) setPassword(req *adminRequest) resultCode {
	if !isCredential(req.fields[adminFieldPassword]) {
		return codeInvalidPassword
	}
	hash := req.text(adminFieldPassword)
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.accounts[req.text(adminFieldUser)]
	if a == nil {
		return codeInvalidUser
	}
	a.credential = func() string { return hash }
	return codeOK
}

// changePassword replaces the password of the user who has logged in and who must
// give the old one.
func (c *conn) changePassword(req *adminRequest) resultCode {
	t := c.server.security
	if req.text(adminFieldUser) != c.account.name {
		return codeRoleViolation
	}
	t.mu.Lock()
	credential := c.account.credential
	t.mu.Unlock()
	if subtle.ConstantTimeCompare([]byte(credential()), req.fields[adminFieldOldPassword]) != 1 {
		return codeInvalidPassword
	}
	return t.setPassword(req)
}

// changeUserRoles grants roles to a user, or takes them away.
func (t *securityTable) changeUserRoles(req *adminRequest) resultCode {
	roles, ok := req.roles()
	if !ok {
		return codeSecurityField
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.accounts[req.text(adminFieldUser)]
	switch {
	case a == nil:
		return codeInvalidUser
	case len(roles) == 0 || !t.known(roles):
		return codeInvalidRole
	case req.command == adminGrantRoles:
		if len(a.roles)+len(roles) > maxListed {
			return codeInvalidRole
		}
		a.roles = uniqueStrings(append(slices.Clone(a.roles), roles...))
	default:
		a.roles = slices.DeleteFunc(slices.Clone(a.roles), func(name string) bool { return slices.Contains(roles, name) })
	}
	t.refresh(a)
	return codeOK
}

// createRole adds a role.
func (t *securityTable) createRole(req *adminRequest) resultCode {
	r := &role{
		name: req.text(adminFieldRole), readQuota: req.number(adminFieldReadQuota), writeQuota: req.number(adminFieldWriteQuota),
	}
	var code resultCode
	var ok bool
	if r.privileges, code = req.privileges(); code != codeOK {
		return code
	}
	if r.whitelist, ok = req.whitelist(); !ok {
		return codeInvalidWhitelist
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case r.name == "" || len(r.name) > maxUserName:
		return codeInvalidRole
	case t.roles[r.name] != nil:
		return codeRoleExists
	}
	sortPrivileges(r.privileges)
	t.roles[r.name] = r
	return codeOK
}

// changeRole changes or drops a role that isn't predefined.
func (t *securityTable) changeRole(req *adminRequest) resultCode {
	privileges, code := req.privileges()
	if code != codeOK {
		return code
	}
	whitelist, ok := req.whitelist()
	if !ok {
		return codeInvalidWhitelist
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.roles[req.text(adminFieldRole)]
	if old == nil || old.predefined {
		return codeInvalidRole
	}
	r := *old
	without := slices.DeleteFunc(slices.Clone(r.privileges), func(p privilege) bool { return slices.Contains(privileges, p) })
	switch req.command {
	case adminDropRole:
		delete(t.roles, r.name)
		for _, a := range t.accounts {
			a.roles = slices.DeleteFunc(slices.Clone(a.roles), func(name string) bool { return name == r.name })
		}
		t.refreshAll()
		return codeOK
	case adminGrantPrivileges, adminRevokePrivileges:
		if len(privileges) == 0 {
			return codeInvalidPrivilege
		}
		if len(without)+len(privileges) > maxListed {
			return codeInvalidPrivilege
		}
		if r.privileges = without; req.command == adminGrantPrivileges {
			r.privileges = append(without, privileges...)
			sortPrivileges(r.privileges)
		}
	case adminSetWhitelist:
		r.whitelist = whitelist
	case adminSetQuotas:
		r.readQuota, r.writeQuota = req.number(adminFieldReadQuota), req.number(adminFieldWriteQuota)
	}
	t.roles[r.name] = &r
	t.refreshAll()
	return codeOK
}

func sortPrivileges(list []privilege) {
	slices.SortFunc(list, func(a, b privilege) int {
		return strings.Compare(string(a.code)+a.namespace+"\x00"+a.set, string(b.code)+b.namespace+"\x00"+b.set)
	})
}

// permit checks a single-record transaction's permission, in the order in which
// the real server does: once its namespace is known. It returns codeOK or
// codeRoleViolation.
func (c *conn) permit(ns *namespace, req *request) resultCode {
	var want permissions
	switch {
	case req.isWrite():
		want = permWrite
		if req.isUDF() && !req.isDelete() {
			want = permUDFApply
		} else if req.info1&info1Read != 0 {
			want |= permRead
		}
	case req.info1&info1Read != 0:
		want = permRead
	}
	return c.permitted(want, ns, req)
}

// permitQuery does so for a query.
func (c *conn) permitQuery(ns *namespace, req *request) resultCode {
	switch {
	case req.isUDF():
		return c.permitted(permUDFQuery, ns, req)
	case req.isWrite():
		return c.permitted(permOpsQuery, ns, req)
	}
	return c.permitted(permQuery, ns, req)
}

func (c *conn) permitted(want permissions, ns *namespace, req *request) resultCode {
	if c.account == nil || !c.account.allows(want, ns.name, string(req.field(fieldSet))) {
		return codeRoleViolation
	}
	return codeOK
}

// infoDenied returns the error for an info command that the user may not give,
// empty if there is none. Which permission each needs is in the server's
// thr_info.c.
func (c *conn) infoDenied(name, params string) string {
	var want permissions
	need := ""
	namespace, set := "", ""
	switch name {
	case "set-config", "config-set":
		want, need = permSetConfig, "set-config"
	case "dump-cluster", "dump-fabric", "dump-hb", "dump-hlc", "dump-migrates", "dump-rw", "dump-skew",
		"dump-wb-summary", "jem-stats", "log-message", "log-set", "set-log":
		want, need = permLogging, "logging-ctrl"
	case "recluster", "services-alumni-reset", "tip", "tip-clear":
		want, need = permService, "service-ctrl"
	case "query-abort", "query-abort-all":
		want, need = permQueryAdmin, "query-admin"
	case "debug-record", "debug-record-meta":
		want, need = permRecordInfo, "record-info"
	case "sindex-create", "sindex-delete", "sindex-exists":
		want, need = permIndexAdmin, "sindex-admin"
	case "udf-put", "udf-remove", "udf-clear-cache":
		want, need = permUDFAdmin, "udf-admin"
	case "truncate", "truncate-namespace", "truncate-undo", "truncate-namespace-undo":
		want, need = permTruncate, "truncate"
		namespace, _ = infoParam(params, "namespace", maxNamespaceName)
		set, _ = infoParam(params, "set", maxSetName)
	}
	if c.account != nil && c.account.allows(want, namespace, set) {
		return ""
	}
	return infoError(codeRoleViolation, "role violation - requires permission '"+need+"'")
}
